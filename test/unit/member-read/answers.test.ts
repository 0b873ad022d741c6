import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { readEvents } from '#controllers/member-read/read-events.js';
import { readPods } from '#controllers/member-read/read-logs.js';
import { destinationsOn } from '#controllers/read-model/tree-view.js';
import { kubeFromConfig } from '#controllers/runtime/credentials.js';
import { listen, type Listening } from '#controllers/runtime/listen.js';
import type { Kube } from '#controllers/runtime/kube.js';
import { application, deploy } from '../application/model/builders.js';

let listening: Listening;
let kube: Kube;
/** Answers by path; lists are empty otherwise. */
let answers: Readonly<Record<string, object>>;

beforeAll(async () => {
  const server = createServer((request, response) => {
    const body = answers[new URL(request.url ?? '', 'http://x').pathname] ?? { items: [], metadata: {} };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  listening = await listen(server);
  kube = kubeFromConfig({ server: `http://127.0.0.1:${listening.address.port}` });
});

beforeEach(() => {
  answers = {};
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
  expect(problems).toEqual(['namespace shop has more than 3000 events: some are missing']);
});

it('knows the containers of a pod that belongs to the release itself', async () => {
  answers = releaseWithPodsIn(['prod']);
  const [found] = await readPods(kube, WEB, destinationsOn(WEB, undefined));
  expect(found).toMatchObject({ problem: '', pods: [{ name: 'bare', containers: ['main'] }] });
});

it('says that a release is in more namespaces than are read', async () => {
  answers = releaseWithPodsIn(Array.from({ length: 11 }, (_, index) => `prod-${index}`));
  const [found] = await readPods(kube, WEB, destinationsOn(WEB, undefined));
  expect(found?.problem).toBe('its objects are in more than 10 namespaces: some pods are missing');
});
