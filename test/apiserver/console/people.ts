import { controllerRevisionResource } from '#api/core.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { defined } from '#lib/plain.js';
import type { World } from '#sandbox/world.js';
import { prepareCluster } from '../../support/harness.js';
import { eventually } from '../../support/world.js';
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

/** Users with their rights in one namespace, and two servers, which watch only it by default. */
export async function gatherPeople(world: World, prefix: string, isWide = false): Promise<People> {
  const { kube, namespace } = await prepareCluster(world.host, prefix);
  const make = (name: string) => account(kube, namespace, name);
  const [admin, member, viewer] = [await make('admin'), await make('member'), await make('viewer')];
  const [named, stranger] = [await make('named'), await make('stranger')];
  const resources = ['applications', 'helmtemplates', 'kustomizationtemplates'];
  const rule = (verbs: string[], more = {}) => [{ apiGroups: [GROUP], resources, verbs, ...more }];
  const revisions = { apiGroups: ['apps'], resources: ['controllerrevisions'], verbs: ['get', 'list'] };
  const events = { apiGroups: [''], resources: ['events'], verbs: ['list'] };
  const sources = { apiGroups: ['source.toolkit.fluxcd.io'], resources: ['helmrepositories'], verbs: ['list'] };
  const others = [revisions, events, sources];
  await grant(kube, 'admin', { namespace, user: admin.user, rules: [...rule(['*']), ...others] });
  const member_ = ['get', 'list', 'create', 'update', 'patch', 'delete'];
  await grant(kube, 'member', { namespace, user: member.user, rules: [...rule(member_), ...others] });
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
  const plain = await startConsole(world, { kube, namespace, isWide });
  const behindProxy = await startConsole(world, { kube, namespace, isWide, trusted: ['127.0.0.0/8', '::1'] });
  return { kube, namespace, plain, behindProxy, tokens };
}

export async function dismiss({ kube, plain, behindProxy }: People): Promise<void> {
  await Promise.all([plain.stop(), behindProxy.stop()]);
  await kube.close();
}

const AT = '2026-01-01T00:00:00Z';
const counts = { total: 1, ready: 0, updating: 0, failed: 0, unreachable: 0, waiting: 1, left: 0 };
const condition = { lastTransitionTime: AT, reason: 'Progressing' };

/** A stage waits for an approval, and another one went back. */
const STATUS = {
  conditions: [
    { ...condition, type: 'Ready', status: 'False', message: '<b>1</b> of 2' },
    { ...condition, type: 'Reconciling', status: 'True', message: 'x' },
  ],
  destinations: [
    { name: 'eu', cluster: 'eu', state: 'Ready' },
    { name: 'us', cluster: 'us', state: 'Progressing' },
  ],
  history: { revision: 2 },
  removals: { held: 1, heldSince: AT, approval: 'a1', clusters: ['us'] },
  rollout: {
    ...{ revision: 2, phase: 'AwaitingApproval', startedAt: AT, rolledBack: { stage: 'first', why: 'it failed' } },
    stages: [{ ...counts, name: 'first', phase: 'AwaitingApproval' }],
  },
};

/** A revision of it is kept. */
export async function keepRevision(
  kube: Kube,
  { kind, metadata }: KubeObject,
  { labels, number, data }: { labels: Record<string, string>; number: number; data: object },
): Promise<void> {
  const { name, namespace, uid = '' } = metadata;
  const owner = { apiVersion: `${GROUP}/v1alpha1`, kind, name, uid };
  const revision = {
    ...{ apiVersion: 'apps/v1', kind: 'ControllerRevision', revision: number, data },
    metadata: { name: `${name}-${kind.toLowerCase()}-${number}`, namespace, labels, ownerReferences: [owner] },
  };
  await kube.apply(controllerRevisionResource, revision, { fieldManager: 'test', force: true });
}

export interface Before {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly suspended?: boolean;
  /** What is deployed to `us` is being deleted. */
  readonly stuck?: boolean;
  /** Its rollout waits for a window. */
  readonly closed?: boolean;
  /** Rows of the status besides. */
  readonly rows?: readonly object[];
}

function specOf({ suspended = false, closed = false }: Before): object {
  const { source, config } = SPEC.fluxApp.spec;
  const suspend = suspended ? { suspend: true } : {};
  const rollout = closed ? { windows: [{ schedule: '0 0 29 2 *', duration: '1s' }] } : {};
  return { ...SPEC, rollout, fluxApp: { spec: { source, config: { ...config, ...suspend } } } };
}

function rolloutOf({ closed = false }: Before): object {
  const { rolledBack, ...rollout } = STATUS.rollout;
  return closed ? { ...rollout, phase: 'AwaitingWindow' } : { ...rollout, rolledBack };
}

function statusOf(before: Before): object {
  const { stuck = false, rows = [] } = before;
  const destinations = STATUS.destinations.map((row) =>
    stuck && row.cluster === 'us' ? { ...row, state: 'Deleting' } : row,
  );
  return { ...STATUS, destinations: [...destinations, ...rows], rollout: rolloutOf(before) };
}

/** Application `web` as it should be, whatever became of it, in the caches as well. */
export async function withWeb(people: People, before: Before = {}): Promise<Application> {
  const { kube, namespace, plain, behindProxy } = people;
  const ref = { name: 'web', namespace };
  const { annotations = {}, labels = {} } = before;
  const live = await kube.get<Application>(applicationResource, ref);
  const { resourceVersion } = live?.metadata ?? {};
  const object = {
    ...{ apiVersion: `${GROUP}/v1alpha1`, kind: 'Application', spec: specOf(before) },
    metadata: { ...ref, annotations, labels, ...defined({ resourceVersion }) },
  } as unknown as Application;
  const spec = await (live === undefined
    ? kube.create(applicationResource, object)
    : kube.update(applicationResource, object));
  const status = { ...spec, status: statusOf(before) } as unknown as Application;
  const web = await kube.update(applicationResource, status, { subresource: 'status' });
  await keepRevision(
    kube,
    { ...web, kind: 'Application' },
    { labels: { [APPLICATION_REVISION]: '1' }, number: 1, data: {} },
  );
  for (const { applications } of [plain, behindProxy]) applications.recordWrite(web);
  await eventually(() => {
    for (const { applications } of [plain, behindProxy]) {
      if (applications.get(ref)?.metadata.resourceVersion !== web.metadata.resourceVersion) throw new Error('stale');
    }
  });
  return web;
}
