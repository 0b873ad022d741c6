import { describe, expect, it } from '@jest/globals';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#controllers/runtime/kube.js';
import { fixture } from '#test/support/fixture.js';
import { prepareCluster } from '#test/support/harness.js';
import { useWorld } from '#test/support/world.js';
import { account, BASE, grant, proxied, send, startConsole, type Console, type Sent } from './harness.js';

const GROUP = 'gitops.kubesphere.io';
const SPEC = {
  kind: 'fluxcd',
  fluxApp: {
    spec: {
      source: { sourceRef: { kind: 'HelmRepository', name: 'charts' } },
      config: { helmRelease: { chart: { chart: 'web' }, deploy: [{ destination: { targetNamespace: 'web' } }] } },
    },
  },
};

interface Setting {
  readonly kube: Kube;
  readonly namespace: string;
  /** Trusts nobody's headers. */
  readonly plain: Console;
  /** Trusts this machine. */
  readonly behindProxy: Console;
  readonly tokens: Record<'admin' | 'member' | 'viewer' | 'named' | 'stranger', string>;
}

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const { kube, namespace } = await prepareCluster(world.host, 'console');
    const make = (name: string) => account(kube, namespace, name);
    const [admin, member, viewer] = [await make('admin'), await make('member'), await make('viewer')];
    const [named, stranger] = [await make('named'), await make('stranger')];
    const rule = (verbs: string[], more = {}) => [{ apiGroups: [GROUP], resources: ['applications'], verbs, ...more }];
    await grant(kube, 'admin', { namespace, user: admin.user, rules: rule(['*']) });
    const member_ = ['get', 'list', 'create', 'update', 'patch', 'delete'];
    await grant(kube, 'member', { namespace, user: member.user, rules: rule(member_) });
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
  },
  async ({ kube, plain, behindProxy }) => {
    await Promise.all([plain.stop(), behindProxy.stop()]);
    await kube.close();
  },
);

/** Each test finds `web` as it should be. */
async function withWeb(): Promise<Application> {
  const { kube, namespace, plain, behindProxy } = setting;
  const object = {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'Application',
    metadata: { name: 'web', namespace },
    spec: SPEC,
  };
  const web = (await kube.apply(applicationResource, object, {
    fieldManager: 'test',
    force: true,
  })) as unknown as Application;
  for (const { applications } of [plain, behindProxy]) applications.recordWrite(web);
  return web;
}

const ROUTES: Record<string, (namespace: string) => readonly [string, Sent]> = {
  list: (namespace) => [`${BASE}/namespaces/${namespace}/applications`, {}],
  summary: (namespace) => [`${BASE}/namespaces/${namespace}/application-summary`, {}],
  get: (namespace) => [`${BASE}/namespaces/${namespace}/applications/web`, {}],
  missing: (namespace) => [`${BASE}/namespaces/${namespace}/applications/none`, {}],
  create: (namespace) => [
    `${BASE}/namespaces/${namespace}/applications`,
    { method: 'POST', body: { metadata: { name: 'new' }, spec: SPEC } },
  ],
  replace: (namespace) => [`${BASE}/namespaces/${namespace}/applications/web`, { method: 'PUT', body: { spec: SPEC } }],
  sync: (namespace) => [`${BASE}/namespaces/${namespace}/applications/web/sync`, { method: 'POST' }],
  delete: (namespace) => [`${BASE}/namespaces/${namespace}/applications/web`, { method: 'DELETE' }],
  clusters: () => [`${BASE}/clusters`, {}],
  'other cluster': (namespace) => [
    `/kapis/clusters/other/gitops.kubesphere.io/v1alpha1/namespaces/${namespace}/applications`,
    {},
  ],
  'this cluster': (namespace) => [
    `/kapis/clusters/host/gitops.kubesphere.io/v1alpha1/namespaces/${namespace}/applications`,
    {},
  ],
  openapi: () => ['/openapi.json', {}],
  unknown: () => ['/kapis/secrets', {}],
};

// Who asks: list summary get missing create replace sync delete clusters other-cluster this-cluster openapi unknown
const TABLE: Record<string, readonly number[]> = {
  admin: [200, 200, 200, 404, 200, 200, 200, 200, 200, 404, 200, 200, 404],
  member: [200, 200, 200, 404, 200, 200, 200, 200, 200, 404, 200, 200, 404],
  viewer: [200, 200, 200, 404, 403, 403, 403, 403, 200, 404, 200, 200, 404],
  named: [403, 403, 200, 404, 403, 403, 403, 403, 200, 404, 403, 200, 404],
  stranger: [403, 403, 404, 404, 403, 404, 404, 404, 200, 404, 403, 200, 404],
  nobody: [401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 401],
};

function credentialsOf(who: string): Sent {
  const { tokens } = setting;
  return who in tokens ? { token: tokens[who as keyof typeof tokens] } : {};
}

describe('each route', () => {
  const cases = Object.entries(TABLE).flatMap(([who, codes]) =>
    Object.keys(ROUTES).map((route, index) => [route, who, codes[index] ?? 0] as const),
  );

  it.each(cases)('%s as %s is answered with %d', async (route, who, code) => {
    await withWeb();
    const { kube, namespace, plain } = setting;
    const [path, sent] = ROUTES[route]!(namespace);
    const answer = await send(plain.port, path, { ...sent, ...credentialsOf(who) });
    expect(`${answer.code} ${answer.code === 200 || answer.code === code ? '' : answer.text}`).toBe(`${code} `);
    const isDone = code === 200;
    const [web, made] = await Promise.all(
      ['web', 'new'].map((name) => kube.get<Application>(applicationResource, { name, namespace })),
    );
    expect(made !== undefined).toBe(isDone && route === 'create');
    expect(web === undefined || web.metadata.deletionTimestamp !== undefined).toBe(isDone && route === 'delete');
    if (made !== undefined) await kube.delete(applicationResource, made.metadata);
  });
});

describe('headers of a proxy', () => {
  const list = (): string => ROUTES['list']!(setting.namespace)[0];
  const dev = (): string[] => proxied({ username: 'eve', groups: [`${setting.namespace}-dev`] });

  it('count from an address that is trusted, with the rights of the groups in them', async () => {
    await withWeb();
    const { port } = setting.behindProxy;
    expect((await send(port, list(), { headers: dev() })).code).toBe(200);
    expect((await send(port, list(), { headers: proxied({ username: 'eve' }) })).code).toBe(403);
    const { namespace } = setting;
    const change = { method: 'PUT', body: { metadata: { labels: { by: 'eve' } }, spec: SPEC }, headers: dev() };
    const changed = await send(port, `${BASE}/namespaces/${namespace}/applications/web`, change);
    expect(changed.code).toBe(200);
    expect(JSON.parse(changed.text)).toMatchObject({ metadata: { labels: { by: 'eve' } } });
    const deleted = await send(port, `${BASE}/namespaces/${namespace}/applications/web`, {
      ...change,
      method: 'DELETE',
    });
    expect(deleted.code).toBe(403);
  });

  it.each<[string, () => string[]]>([
    ['as Kubernetes writes them', () => dev()],
    ['in capitals', () => dev().map((text, index) => (index % 2 === 0 ? text.toUpperCase() : text))],
    ['twice', () => [...dev(), ...dev()]],
    ['of an administrator', () => proxied({ username: 'system:admin', groups: ['system:masters'] })],
    ['with underscores', () => ['X_Remote_User', 'eve', 'X_Remote_Group', `${setting.namespace}-dev`]],
    ['of another scheme', () => ['Impersonate-User', 'eve', 'Impersonate-Group', 'system:masters']],
  ])('mean nothing from elsewhere: %s', async (_, headers) => {
    const { plain, tokens } = setting;
    expect((await send(plain.port, list(), { headers: headers() })).code).toBe(401);
    // And they take nothing from, and add nothing to, whose token it is.
    expect((await send(plain.port, list(), { headers: headers(), token: tokens.stranger })).code).toBe(403);
    expect((await send(plain.port, list(), { headers: headers(), token: tokens.viewer })).code).toBe(200);
  });

  it.each<[string, () => string[], number]>([
    ['two users', () => [...proxied({ username: 'eve' }), ...proxied({ username: 'adam' })], 401],
    ['the group that may do everything', () => proxied({ username: 'eve', groups: ['system:masters'] }), 401],
    ['other headers', () => ['Impersonate-User', 'admin', ...proxied({ username: 'eve' })], 403],
  ])('are not believed with %s, although the address is trusted', async (_, headers, code) => {
    expect((await send(setting.behindProxy.port, list(), { headers: headers() })).code).toBe(code);
  });

  it('of one who may list, and not get, name what he knows of', async () => {
    await withWeb();
    const headers = proxied({ username: 'eve', groups: [`${setting.namespace}-lister`] });
    const path = `${BASE}/namespaces/${setting.namespace}/applications/web`;
    expect((await send(setting.behindProxy.port, path, { headers })).code).toBe(403);
  });
});

describe('a token', () => {
  it.each<[string, (token: string) => string]>([
    ['that nobody knows', () => 'abc'],
    ['with another signature', (token) => `${token.slice(0, -8)}AAAAAAAA`],
    ['without a signature', (token) => `${token.split('.').slice(0, 2).join('.')}.`],
    [
      'that says itself that it has no signature',
      (token) => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1] ?? ''}.`,
    ],
    ['of great length', () => 'a'.repeat(17_000)],
  ])('%s is not accepted (bug S1 of ks-devops)', async (_, forge) => {
    const { plain, tokens, namespace } = setting;
    const answer = await send(plain.port, ROUTES['list']!(namespace)[0], { token: forge(tokens.admin) });
    expect(answer.code).toBe(401);
    expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', code: 401, reason: 'Unauthorized' });
  });
});
