import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#controllers/runtime/kube.js';
import type { World } from '#sandbox/world.js';
import { prepareCluster } from '#test/support/harness.js';
import { account, grant, startConsole, type Console } from './harness.js';

const GROUP = 'gitops.kubesphere.io';
export const SPEC = {
  kind: 'fluxcd',
  fluxApp: {
    spec: {
      source: { sourceRef: { kind: 'HelmRepository', name: 'charts' } },
      config: { helmRelease: { chart: { chart: 'web' }, deploy: [{ destination: { targetNamespace: 'web' } }] } },
    },
  },
};

export interface People {
  readonly kube: Kube;
  readonly namespace: string;
  /** Trusts nobody's headers. */
  readonly plain: Console;
  /** Trusts this machine. */
  readonly behindProxy: Console;
  readonly tokens: Record<'admin' | 'member' | 'viewer' | 'named' | 'stranger', string>;
}

/** Users with their rights in one namespace, and two servers. */
export async function gatherPeople(world: World, prefix: string): Promise<People> {
  const { kube, namespace } = await prepareCluster(world.host, prefix);
  const make = (name: string) => account(kube, namespace, name);
  const [admin, member, viewer] = [await make('admin'), await make('member'), await make('viewer')];
  const [named, stranger] = [await make('named'), await make('stranger')];
  const rule = (verbs: string[], more = {}) => [{ apiGroups: [GROUP], resources: ['applications'], verbs, ...more }];
  const revisions = { apiGroups: ['apps'], resources: ['controllerrevisions'], verbs: ['list'] };
  await grant(kube, 'admin', { namespace, user: admin.user, rules: [...rule(['*']), revisions] });
  const member_ = ['get', 'list', 'create', 'update', 'patch', 'delete'];
  await grant(kube, 'member', { namespace, user: member.user, rules: [...rule(member_), revisions] });
  await grant(kube, 'viewer', { namespace, user: viewer.user, rules: rule(['get', 'list']) });
  await grant(kube, 'named', { namespace, user: named.user, rules: rule(['get'], { resourceNames: ['web'] }) });
  const dev = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: `${namespace}-dev` };
  await grant(kube, 'dev', { namespace, user: dev, rules: rule(['get', 'list', 'update']) });
  const lister = { ...dev, name: `${namespace}-lister` };
  await grant(kube, 'lister', { namespace, user: lister, rules: rule(['list']) });
  const tokens = {
    ...{ admin: admin.token, member: member.token, viewer: viewer.token },
    ...{ named: named.token, stranger: stranger.token },
  };
  const plain = await startConsole(world, { kube, namespace });
  const behindProxy = await startConsole(world, { kube, namespace, trusted: ['127.0.0.0/8', '::1'] });
  return { kube, namespace, plain, behindProxy, tokens };
}

export async function dismiss({ kube, plain, behindProxy }: People): Promise<void> {
  await Promise.all([plain.stop(), behindProxy.stop()]);
  await kube.close();
}

/** Application `web` as it should be, whatever became of it, in the caches as well. */
export async function withWeb({ kube, namespace, plain, behindProxy }: People): Promise<Application> {
  const ref = { name: 'web', namespace };
  const live = await kube.get<Application>(applicationResource, ref);
  const object = {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'Application',
    metadata: { ...ref, resourceVersion: live?.metadata.resourceVersion },
    spec: SPEC,
  } as unknown as Application;
  const web = await (live === undefined
    ? kube.create(applicationResource, { ...object, metadata: ref })
    : kube.update(applicationResource, object));
  for (const { applications } of [plain, behindProxy]) applications.recordWrite(web);
  return web;
}
