import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { readEvents } from '#queries/members/read-events.js';
import { readPods } from '#queries/members/read-logs.js';
import { readTree } from '#queries/members/read-tree.js';
import { destinationsOn } from '#queries/views/tree-view.js';
import { kubeFromConfig } from '#runtime/client/credentials.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import type { Kube } from '#runtime/client/kube.js';
import { application, deploy } from '../../application/model/builders.js';

let listening: Listening;
let kube: Kube;
/** Answers by path with its query, or without; lists are empty otherwise. */
let answers: Readonly<Record<string, object>>;
/** Paths that were asked for. */
let seen: string[];

beforeAll(async () => {
  const server = createServer((request, response) => {
    const { url = '' } = request;
    const { pathname } = new URL(url, 'http://x');
    seen.push(pathname);
    const body = answers[url] ?? answers[pathname] ?? { items: [], metadata: {} };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  listening = await listen(server);
  kube = kubeFromConfig({ server: `http://127.0.0.1:${listening.address.port}` });
});

beforeEach(() => {
  answers = {};
  seen = [];
});

afterAll(async () => {
  await kube.close();
  await listening.close();
});

function app(...rows: readonly object[]): Application {
  return { ...application([deploy('prod')]), status: { destinations: rows } } as Application;
}

const WEB = app({ name: 'eu', cluster: 'eu', state: 'Ready', child: { kind: 'HelmRelease', name: 'web' } });

function releaseWithPodsIn(namespaces: readonly string[]): typeof answers {
  const pods = namespaces.map((namespace) => {
    const pod = { metadata: { name: 'bare', namespace, uid: namespace }, spec: { containers: [{ name: 'main' }] } };
    return [`/api/v1/namespaces/${namespace}/pods/bare`, { apiVersion: 'v1', kind: 'Pod', ...pod }] as const;
  });
  const entries = namespaces.map((namespace) => ({ id: `${namespace}_bare__Pod`, v: 'v1' }));
  return {
    '/apis/helm.toolkit.fluxcd.io/v2/namespaces/shop/helmreleases/web': {
      ...{ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata: { name: 'web', namespace: 'shop' } },
      ...{ spec: {}, status: { inventory: { entries } } },
    },
    '/api/v1': { resources: [{ name: 'pods', kind: 'Pod', namespaced: true }] },
    ...Object.fromEntries(pods),
  };
}

it('says that a namespace has more events than are read', async () => {
  answers = { '/api/v1/namespaces/shop/events': { items: [], metadata: { continue: 'next' } } };
  const { problems } = await readEvents(kube, app(), []);
  expect(problems).toEqual([
    'namespace shop has more than 3000 events: some are missing; kubectl get events on the cluster itself lists them all',
  ]);
});

it('has the events of a release whose cluster nobody has named yet, whichever cluster is asked for', async () => {
  const rows = ['eu', undefined, 'us'].map((cluster) => ({
    ...{ name: `of ${cluster}`, state: 'Pending', ...(cluster === undefined ? {} : { cluster }) },
    child: { kind: 'HelmRelease', name: `web-${cluster}` },
  }));
  const items = rows.map(({ child }, index) => ({
    metadata: { name: `e${index}`, namespace: 'shop', uid: `e${index}` },
    involvedObject: { ...child, namespace: 'shop' },
  }));
  answers = { '/api/v1/namespaces/shop/events': { items, metadata: {} } };
  const { events } = await readEvents(kube, app(...rows), destinationsOn(app(...rows), 'eu'));
  expect(events.map(({ object }) => object)).toEqual(['HelmRelease/web-eu', 'HelmRelease/web-undefined']);
});

it('knows the containers of a pod that belongs to the release itself', async () => {
  answers = releaseWithPodsIn(['prod']);
  const [found] = await readPods(kube, WEB, destinationsOn(WEB, undefined));
  expect(found).toMatchObject({ problem: '', pods: [{ name: 'bare', containers: ['main'] }] });
});

it('says that a release is in more namespaces than are read', async () => {
  answers = releaseWithPodsIn(Array.from({ length: 11 }, (_, index) => `prod-${index}`));
  const [found] = await readPods(kube, WEB, destinationsOn(WEB, undefined));
  expect(found?.problem).toBe(
    'its objects are in more than 10 namespaces: some pods are missing; kubectl get pods -A on the cluster itself lists them all',
  );
});

describe('a namespace with thousands of pods', () => {
  const PODS = '/api/v1/namespaces/prod/pods';
  const pages = (): number => seen.filter((path) => path === PODS).length;

  it.each<[string, (host: Kube) => Promise<unknown>, number]>([
    ['the events', (host) => readEvents(host, WEB, destinationsOn(WEB, undefined)), 6],
    ['the logs', (host) => readPods(host, WEB, destinationsOn(WEB, undefined)), 6],
    ['the tree, which looks for those that fail', (host) => readTree(host, WEB), 20],
  ])('is read as far as %s need it', async (_, read, expected) => {
    answers = { ...releaseWithPodsIn(['prod']), [PODS]: { items: [], metadata: { continue: 'next' } } };
    await read(kube);
    expect(pages()).toBe(expected);
  });

  it.each<[string, (host: Kube) => Promise<string | undefined>, string]>([
    [
      'the events',
      async (host) => (await readEvents(host, WEB, destinationsOn(WEB, undefined))).problems.join('\n'),
      'eu: namespace prod has more than 3000 pods: some are missing; kubectl get pods on the cluster itself lists them all',
    ],
    [
      'the tree',
      async (host) => (await readTree(host, WEB)).destinations[0]?.problem,
      'namespace prod has more than 3000 pods: some are missing; kubectl get pods on the cluster itself lists them all',
    ],
  ])('is said with the way out: %s', async (_, read, expected) => {
    answers = { ...releaseWithPodsIn(['prod']), [PODS]: { items: [], metadata: { continue: 'next' } } };
    expect(await read(kube)).toBe(expected);
  });

  it('has the pod whose log is asked for, wherever it stands in the list', async () => {
    const metadata = { name: 'late', namespace: 'prod', uid: 'late', ownerReferences: [{ uid: 'prod' }] };
    const late = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'main' }] } };
    answers = {
      ...{ ...releaseWithPodsIn(['prod']), [PODS]: { items: [], metadata: { continue: 'next' } } },
      [`${PODS}?fieldSelector=metadata.name%3Dlate&limit=500`]: { items: [late], metadata: {} },
    };
    const [found] = await readPods(kube, WEB, destinationsOn(WEB, undefined), { pod: 'late' });
    expect([found?.pods.map(({ name }) => name), pages()]).toEqual([['bare', 'late'], 1]);
  });

  it('is read for the pods that there are, where none has the name that is asked for', async () => {
    answers = { ...releaseWithPodsIn(['prod']), [PODS]: { items: [], metadata: {} } };
    const [found] = await readPods(kube, WEB, destinationsOn(WEB, undefined), { pod: 'none' });
    expect([found?.pods.map(({ name }) => name), pages()]).toEqual([['bare'], 2]);
  });
});
