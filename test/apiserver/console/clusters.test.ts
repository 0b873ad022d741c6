import { beforeAll, expect, it } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import type { ClusterItem } from '#queries/answers/clusters.js';
import { fixture } from '../../support/fixture.js';
import { useWorld } from '../../support/world.js';
import { grant, sendDescribed, type Answer } from './harness.js';
import { dismiss, gatherPeople, withWeb, type People } from './people.js';

const setting = fixture<People>(async () => gatherPeople(await useWorld(), 'clusters', true), dismiss);

const SECRET = 'password-of-eu';

async function call(path: string, who: keyof People['tokens']): Promise<Answer & { body: unknown }> {
  const answer = await sendDescribed(setting.plain.port, `/api/v1${path}`, { token: setting.tokens[who] });
  return { ...answer, body: JSON.parse(answer.text) as unknown };
}

const own = (query = ''): string => `/namespaces/${setting.namespace}/clusters${query}`;

beforeAll(async () => {
  const { kube, namespace } = setting;
  await withWeb(setting);
  const kubeconfig = `{clusters: [{cluster: {server: "https://eu.example.com"}}], users: [{user: {token: ${SECRET}}}]}`;
  const secret = {
    ...{ apiVersion: 'v1', kind: 'Secret', stringData: { value: kubeconfig } },
    metadata: {
      name: 'eu',
      namespace,
      labels: { [CLUSTER_LABEL]: 'true', env: 'prod' },
      annotations: { note: SECRET },
    },
  };
  await kube.create(secretResource, secret);
  await kube.create(secretResource, { ...secret, metadata: { name: 'plain', namespace } });
  const user = { kind: 'ServiceAccount', name: 'member', namespace };
  await grant(kube, 'secrets', {
    namespace,
    user,
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }],
  });
});

it('has the clusters that one may list, with what runs there, and what destinations name besides', async () => {
  const { namespace } = setting;
  for (const path of [own(), '/clusters']) {
    const { code, body, text } = await call(path, 'member');
    const on = { applications: 1, destinations: 1, usedBy: [`${namespace}/web`], moreUsedBy: 0, namespace };
    expect([code, body]).toMatchObject([200, { total: 2, page: 1, limit: 100 }]);
    const { items, unread } = body as { items: readonly ClusterItem[]; unread: readonly string[] };
    expect(items).toEqual([
      expect.objectContaining({
        ...on,
        kind: 'Secret',
        name: 'eu',
        worst: 'Ready',
        labels: expect.anything() as unknown,
      }),
      expect.objectContaining({ ...on, kind: '', name: 'us', state: 'Unknown', worst: 'Progressing' }),
    ]);
    expect(items[0]?.labels).toMatchObject({ env: 'prod' });
    if (path === '/clusters') expect(unread.length).toBeGreaterThan(0);
    expect([text.includes(SECRET), text.includes('example.com')]).toEqual([false, false]);
  }
});

it('shows to who may not list Secrets only what destinations name', async () => {
  const { body } = await call(own('?sort=-name'), 'viewer');
  expect(body).toMatchObject({
    items: [
      { kind: '', name: 'us' },
      { kind: '', name: 'eu', state: 'Unknown' },
    ],
    total: 2,
  });
});

it('shows nothing to who may see nothing', async () => {
  const { namespace } = setting;
  expect((await call('/clusters', 'stranger')).body).toMatchObject({ items: [], total: 0 });
  const refused = await call(own(), 'stranger');
  expect([refused.code, refused.text.includes('eu')]).toEqual([403, false]);
  expect((await call(`/namespaces/${namespace}-none/clusters`, 'stranger')).code).toBe(403);
});

it('has pages, and refuses what it does not know', async () => {
  expect((await call(own('?page=9'), 'member')).body).toMatchObject({ items: [], total: 2, page: 9 });
  expect((await call(own('?labelSelector=env%3Dprod'), 'member')).body).toMatchObject({ total: 1 });
  for (const query of ['?probe=true', '?sort=server', '?fieldSelector=server%3Dx', '?limit=0']) {
    expect((await call(own(query), 'member')).body).toMatchObject({ code: 400, reason: 'BadRequest' });
  }
});
