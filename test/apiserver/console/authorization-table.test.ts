import { describe, expect, it, test } from '@jest/globals';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import {
  ABANDON_ANNOTATION,
  PAUSE_ROLLOUT_ANNOTATION,
  PIN_ANNOTATION,
  SAVE_HELM_LABELS,
} from '#api/v1alpha1/labels.js';
import { fixture } from '../../support/fixture.js';
import { useWorld } from '../../support/world.js';
import { BASE, proxied, sendDescribed, type Sent } from './harness.js';
import { acceptedBy, FOUND, withReplaced } from './replaced-people.js';
import { withTemplate } from './template-people.js';
import { dismiss, gatherPeople, SPEC, withWeb, type Before, type People } from './people.js';

const setting = fixture<People>(async () => gatherPeople(await useWorld(), 'table'), dismiss);

/** Who asks. Forged: somebody without a token who says that he is a trusted proxy for an administrator. */
const WHO = ['admin', 'member', 'viewer', 'named', 'stranger', 'nobody', 'forged'] as const;
type Who = (typeof WHO)[number];

const NEW = { metadata: { name: 'new' }, spec: SPEC };
const KAPIS = '/kapis/gitops.kubesphere.io/v1alpha1';
const ON_CLUSTER = '/kapis/clusters/{cluster}/gitops.kubesphere.io/v1alpha1';
const APPLICATIONS = '/namespaces/{namespace}/applications';
const APPLICATION = `${APPLICATIONS}/{name}`;
const TEMPLATE = '/namespaces/{namespace}/templates/{kind}/{name}';

const ACCEPT = `POST ${APPLICATION}/accept-cluster-uid`;

/** What is sent besides; the same for the two paths of a route of the console. */
const BODIES: Readonly<Record<string, unknown>> = {
  [`POST ${APPLICATIONS}`]: NEW,
  [`PUT ${APPLICATION}`]: { spec: SPEC },
  [`POST ${APPLICATION}/approve-removals`]: { approval: 'a1' },
  [`POST ${APPLICATION}/abandon`]: { cluster: 'us' },
  [`POST ${APPLICATION}/abandon/end`]: { cluster: 'us' },
  [`POST ${APPLICATION}/approve-removals/preview`]: { approval: 'a1' },
  [ACCEPT]: { object: 'Secret {namespace}/gone', clusterUid: FOUND },
  [`POST /namespaces/{namespace}/preview`]: NEW,
  [`POST ${TEMPLATE}/share`]: { add: ['default'] },
  [`POST ${TEMPLATE}/preview`]: { revision: 1 },
  [`POST ${TEMPLATE}/use`]: { name: 'new', namespace: 'default' },
};

/** Answers to WHO, in its order. */
const CONSOLE: Readonly<Record<string, readonly number[]>> = {
  [`GET ${APPLICATIONS}`]: [200, 200, 200, 403, 403, 401, 401],
  [`GET /namespaces/{namespace}/application-summary`]: [200, 200, 200, 403, 403, 401, 401],
  [`GET ${APPLICATION}`]: [200, 200, 200, 200, 404, 401, 401],
  [`POST ${APPLICATIONS}`]: [200, 200, 403, 403, 403, 401, 401],
  [`PUT ${APPLICATION}`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/sync`]: [200, 200, 403, 403, 404, 401, 401],
  [`DELETE ${APPLICATION}`]: [200, 200, 403, 403, 404, 401, 401],
  [`GET /clusters`]: [200, 200, 200, 200, 200, 401, 401],
};

const OWN: Readonly<Record<string, readonly number[]>> = {
  [`GET /overview`]: [200, 200, 200, 200, 200, 401, 401],
  [`GET /applications`]: [200, 200, 200, 200, 200, 401, 401],
  [`GET /pending`]: [200, 200, 200, 200, 200, 401, 401],
  [`GET ${APPLICATIONS}`]: [200, 200, 200, 403, 403, 401, 401],
  [`GET /namespaces/{namespace}/pending`]: [200, 200, 200, 403, 403, 401, 401],
  [`GET /changes`]: [200, 200, 200, 200, 200, 401, 401],
  [`GET /namespaces/{namespace}/changes`]: [200, 200, 200, 403, 403, 401, 401],
  [`GET /clusters`]: [200, 200, 200, 200, 200, 401, 401],
  [`GET /namespaces/{namespace}/clusters`]: [200, 200, 200, 403, 403, 401, 401],
  [`GET /namespaces/{namespace}/sources`]: [200, 200, 403, 403, 403, 401, 401],
  [`GET /schemas/application`]: [200, 200, 200, 200, 200, 401, 401],
  [`GET /templates`]: [200, 200, 200, 200, 200, 401, 401],
  [`GET /namespaces/{namespace}/templates`]: [200, 200, 200, 403, 403, 401, 401],
  [`GET ${TEMPLATE}`]: [200, 200, 200, 200, 404, 401, 401],
  [`GET ${TEMPLATE}/revisions`]: [200, 200, 403, 403, 404, 401, 401],
  [`GET ${TEMPLATE}/revisions/{revision}`]: [200, 200, 403, 403, 404, 401, 401],
  [`GET ${TEMPLATE}/users`]: [200, 200, 200, 200, 404, 401, 401],
  [`POST ${TEMPLATE}/share`]: [200, 200, 403, 403, 404, 401, 401],
  // They may not read revisions.
  [`POST ${TEMPLATE}/preview`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${TEMPLATE}/use`]: [200, 200, 200, 200, 404, 401, 401],
  [`GET ${APPLICATION}`]: [200, 200, 200, 200, 404, 401, 401],
  [`GET ${APPLICATION}/revisions`]: [200, 200, 403, 403, 404, 401, 401],
  [`GET ${APPLICATION}/values`]: [200, 200, 200, 200, 404, 401, 401],
  [`GET ${APPLICATION}/history`]: [200, 200, 403, 403, 404, 401, 401],
  // Who may not read it, does not learn which revisions are kept.
  [`GET ${APPLICATION}/history/diff`]: [400, 400, 400, 400, 404, 401, 401],
  // They may not read what is deployed.
  [`GET ${APPLICATION}/diff`]: [403, 403, 403, 403, 404, 401, 401],
  [`POST /namespaces/{namespace}/preview`]: [403, 403, 403, 403, 403, 401, 401],
  [`GET ${APPLICATION}/tree`]: [200, 200, 200, 200, 404, 401, 401],
  // They have to choose one of two destinations.
  [`GET ${APPLICATION}/manifest`]: [400, 400, 400, 400, 404, 401, 401],
  [`GET ${APPLICATION}/live-diff`]: [400, 400, 400, 400, 404, 401, 401],
  [`GET ${APPLICATION}/events`]: [200, 200, 403, 403, 404, 401, 401],
  // It has no pods, whoever asks.
  [`GET ${APPLICATION}/logs`]: [404, 404, 404, 404, 404, 401, 401],
  [`POST ${APPLICATIONS}`]: [201, 201, 403, 403, 403, 401, 401],
  [`PUT ${APPLICATION}`]: [200, 200, 403, 403, 404, 401, 401],
  [`DELETE ${APPLICATION}`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/sync`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/suspend`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/resume`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/approve-removals`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollback`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/release`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/abandon`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/abandon/end`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/save-template`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/save-template/release`]: [200, 200, 403, 403, 404, 401, 401],
  // The member may read the object of the cluster, and not patch it; the others do not know it.
  [ACCEPT]: [200, 403, 404, 404, 404, 401, 401],
  [`POST ${APPLICATION}/rollout/approve`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollout/pause`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollout/resume`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollout/retry`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollout/abort`]: [200, 200, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollout/ignore-windows`]: [200, 200, 403, 403, 404, 401, 401],
  // As of a diff.
  [`POST ${APPLICATION}/suspend/preview`]: [403, 403, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/resume/preview`]: [403, 403, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/approve-removals/preview`]: [403, 403, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollback/preview`]: [403, 403, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/release/preview`]: [403, 403, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollout/approve/preview`]: [403, 403, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollout/pause/preview`]: [403, 403, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollout/resume/preview`]: [403, 403, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollout/retry/preview`]: [403, 403, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollout/abort/preview`]: [403, 403, 403, 403, 404, 401, 401],
  [`POST ${APPLICATION}/rollout/ignore-windows/preview`]: [403, 403, 403, 403, 404, 401, 401],
};

/** What `web` is before an action, so that there is something to do. */
const BEFORE: Readonly<Record<string, Before>> = {
  [`POST ${APPLICATION}/resume`]: { suspended: true },
  [`POST ${APPLICATION}/rollout/resume`]: { annotations: { [PAUSE_ROLLOUT_ANNOTATION]: 'true' } },
  [`POST ${APPLICATION}/abandon`]: { stuck: true },
  [`POST ${APPLICATION}/abandon/end`]: { annotations: { [ABANDON_ANNOTATION]: 'us' } },
  [`POST ${APPLICATION}/save-template/release`]: { labels: { [SAVE_HELM_LABELS[0]]: 'true' } },
  [`POST ${APPLICATION}/rollout/ignore-windows`]: { closed: true },
  [`POST ${APPLICATION}/release`]: { annotations: { [PIN_ANNOTATION]: '1' } },
  [`POST ${APPLICATION}/resume/preview`]: { suspended: true },
  [`POST ${APPLICATION}/rollout/resume/preview`]: { annotations: { [PAUSE_ROLLOUT_ANNOTATION]: 'true' } },
  [`POST ${APPLICATION}/rollout/ignore-windows/preview`]: { closed: true },
  [`POST ${APPLICATION}/release/preview`]: { annotations: { [PIN_ANNOTATION]: '1' } },
};

function rowsOf(base: string, table: Readonly<Record<string, readonly number[]>>) {
  return Object.entries(table).map(([route, codes]) => {
    const [method = '', path = ''] = route.split(' ');
    return { method, path: `${base}${path}`, sent: { body: BODIES[route], before: BEFORE[route] }, codes };
  });
}

const ROWS = [...rowsOf(KAPIS, CONSOLE), ...rowsOf(ON_CLUSTER, CONSOLE), ...rowsOf('/api/v1', OWN)];
/** Who replaces it says what he read. */
const REPLACE = `PUT /api/v1${APPLICATION}`;

const CASES = ROWS.flatMap(({ method, path, sent, codes }) =>
  WHO.map((who, index) => [`${method} ${path}`, who, codes[index] ?? 0, sent] as const),
);

const ADMINISTRATOR = proxied({ username: 'system:admin', groups: ['system:masters'] });

function credentialsOf(who: Who): Sent {
  if (who === 'nobody') return {};
  return who === 'forged' ? { headers: ADMINISTRATOR } : { token: setting.tokens[who] };
}

const filled = (path: string, name = 'web'): string =>
  path
    .replace('{namespace}', setting.namespace)
    .replace('{name}', name)
    .replace('{cluster}', 'host')
    .replace('{kind}', 'HelmTemplate')
    .replace('{revision}', '1');

/** Who writes a template, or accepts a cluster, writes no Application. */
function writesApplication(method: string, path: string, code: number): boolean {
  return code < 300 && method !== 'GET' && !path.includes('/templates/') && !isAcceptance(path);
}

const isAcceptance = (path: string): boolean => path.endsWith('/accept-cluster-uid');

/** With the names of this run. */
function bodyOf(body: unknown): unknown {
  return body === undefined ? undefined : (JSON.parse(filled(JSON.stringify(body))) as unknown);
}

async function ask(who: Who, path: string, sent: Sent = {}): Promise<{ code: number; text: string }> {
  return sendDescribed(setting.plain.port, path, { ...sent, ...credentialsOf(who), body: bodyOf(sent.body) });
}

/** Whether the object of the cluster was annotated. */
async function expectAccepted(path: string, code: number): Promise<void> {
  if (!isAcceptance(path)) return;
  const accepted = await acceptedBy(setting.kube, { name: 'gone', namespace: setting.namespace });
  expect(accepted).toBe(code < 300 ? FOUND : undefined);
}

function before(path: string, wanted: Before | undefined): Promise<Application> {
  return isAcceptance(path) ? withReplaced(setting) : withWeb(setting, wanted);
}

describe('each route', () => {
  it.each(CASES)('%s as %s is answered with %d', async (route, who, code, { body, before: sentBefore }) => {
    const { kube, namespace } = setting;
    const [method = '', path = ''] = route.split(' ');
    const live = await before(path, sentBefore);
    if (path.includes('/templates')) await withTemplate(setting);
    const { resourceVersion } = live.metadata;
    const sent = route === REPLACE ? { metadata: { resourceVersion }, spec: SPEC } : body;
    const answer = await ask(who, filled(path), { method, body: sent });
    expect(answer).toMatchObject({ code });
    const [web, made] = await Promise.all(
      ['web', 'new'].map((name) => kube.get<Application>(applicationResource, { name, namespace })),
    );
    const isWritten = writesApplication(method, path, code);
    const isCreated = isWritten && path.endsWith('/applications');
    expect(made !== undefined).toBe(isCreated);
    expect(web?.metadata.resourceVersion !== resourceVersion).toBe(isWritten && !isCreated);
    await expectAccepted(path, code);
    if (made !== undefined) await kube.delete(applicationResource, made.metadata);
  });

  test('has a row above', async () => {
    const { text } = await ask('admin', '/openapi.json');
    const { paths } = JSON.parse(text) as { paths: Record<string, object> };
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(served.sort()).toEqual(ROWS.map(({ method, path }) => `${method} ${path}`).sort());
  });
});

describe('what nobody may learn', () => {
  const single = ROWS.filter(({ path }) => path.includes('{name}'));

  it.each(single.map(({ method, path, sent: { body } }) => [method, path, body] as const))(
    '%s %s of a stranger is the same for what does not exist',
    async (method, path, body) => {
      await withWeb(setting);
      await withTemplate(setting);
      const [known, unknown] = [filled(path), filled(path, 'none')];
      const there = await ask('stranger', known, { method, body });
      const missing = await ask('stranger', unknown, { method, body });
      expect([there.code, there.text.replaceAll('web', 'none')]).toEqual([missing.code, missing.text]);
    },
  );

  it.each<[string, string, number]>([
    ['of another cluster', filledWith('other'), 404],
    ['that do not exist', '/kapis/secrets', 404],
    ['that do not exist in our own API', '/api/v1/secrets', 404],
    ['of the description', '/openapi.json', 200],
  ])('paths %s', async (_, path, code) => {
    expect((await ask('admin', path)).code).toBe(code);
    expect((await ask('nobody', path)).code).toBe(401);
  });

  it.each(Object.keys(CONSOLE))('%s of another cluster is not answered by this one, which is named', async (route) => {
    await withWeb(setting);
    const [method = '', path = ''] = route.split(' ');
    const url = filled(`${ON_CLUSTER.replace('{cluster}', 'other')}${path}`);
    const { code, text } = await ask('admin', url, { method, body: BODIES[route] });
    expect({ code, text }).toEqual({ code: 404, text: 'cluster "other" is not served here\n' });
  });

  it('lists of all namespaces have only those that he may list', async () => {
    await withWeb(setting);
    const count = async (who: Who): Promise<number> => {
      const { total } = JSON.parse((await ask(who, '/api/v1/applications')).text) as { total: number };
      return total;
    };
    expect([await count('viewer'), await count('named'), await count('stranger')]).toEqual([1, 0, 0]);
  });
});

function filledWith(cluster: string): string {
  return `${BASE.replace('/kapis', `/kapis/clusters/${cluster}`)}/clusters`;
}
