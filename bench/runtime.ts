import { configMapResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { Manager } from '#runtime/manager.js';
import { keyOf } from '#lib/kube/keys.js';
import { eventually } from './scenarios/eventually.js';
import { median, ratio } from './figures.js';
import { type Bench, forEach, secondsOf, withHost } from './harness.js';
import { APPLY } from './objects.js';
import { bareClient, CONCURRENCY, rateOf, type Bare, type Rate } from './requests.js';

const NAMESPACE = 'default';
/** Rounds change between ours and the bare client, so that a slow moment of the machine hits both. */
const ROUNDS = 5;
const EVENTS_LIMIT_MS = 120_000;

interface ConfigMap extends KubeObject {
  data: Record<string, string>;
}

function configMap(index: number, data: Record<string, string> = { value: 'x'.repeat(400) }): ConfigMap {
  const metadata = { name: `bench-${index}`, namespace: NAMESPACE, labels: { 'app.kubernetes.io/name': 'bench' } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

/** Both do the same: a parsed object comes back. */
async function compare(
  requests: number,
  ours: (index: number) => Promise<unknown>,
  bare: (index: number) => Promise<string>,
): Promise<Record<string, number>> {
  const rounds: { ours: Rate; bare: Rate }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const first = await rateOf(requests, async (index): Promise<unknown> => JSON.parse(await bare(index)));
    rounds.push({ bare: first, ours: await rateOf(requests, ours) });
  }
  const counted = rounds.slice(1); // The first one warmed everything up.
  const of = (who: 'ours' | 'bare', figure: keyof Rate): number => median(counted.map((each) => each[who][figure]));
  return {
    perSecond: Math.round(of('ours', 'perSecond')),
    barePerSecond: Math.round(of('bare', 'perSecond')),
    cpuMicrosPerRequest: Math.round(of('ours', 'cpuMicrosPerRequest')),
    bareCpuMicrosPerRequest: Math.round(of('bare', 'cpuMicrosPerRequest')),
    ratioRate: ratio(of('ours', 'perSecond'), of('bare', 'perSecond')),
    ratioCpu: ratio(of('ours', 'cpuMicrosPerRequest'), of('bare', 'cpuMicrosPerRequest')),
  };
}

async function requestsCompared(kube: Kube, bare: Bare, requests: number): Promise<Record<string, unknown>> {
  const path = (index: number): string => `/api/v1/namespaces/${NAMESPACE}/configmaps/bench-${index}`;
  // A value that changes with each request, or the server has nothing to write.
  let turn = 0;
  const wanted = (index: number): ConfigMap => configMap(index, { turn: `${(turn += 1)}`, value: 'x'.repeat(400) });
  return {
    get: await compare(
      requests,
      (index) => kube.get(configMapResource, { name: `bench-${index}`, namespace: NAMESPACE }),
      (index) => bare.send('GET', path(index)),
    ),
    apply: await compare(
      requests,
      (index) => kube.apply(configMapResource, wanted(index), APPLY),
      (index) =>
        bare.send(
          'PATCH',
          `${path(index)}?fieldManager=${APPLY.fieldManager}&force=true`,
          JSON.stringify(wanted(index)),
        ),
    ),
  };
}

/** List and decode everything, and what a filled cache costs. */
async function cacheCost(kube: Kube, objects: number): Promise<Record<string, number>> {
  const query = { namespace: NAMESPACE, labelSelector: 'app.kubernetes.io/name=bench' };
  const startedAt = performance.now();
  const { items } = await listAll<ConfigMap>(kube, configMapResource, query);
  const listMs = performance.now() - startedAt;
  if (items.length !== objects) throw new Error(`${items.length} of ${objects} objects were listed`);
  items.length = 0;
  const before = heapBytes();
  const stopping = new AbortController();
  const manager = new Manager({ kube, log: createLogger('error'), namespace: NAMESPACE });
  let passes = 0;
  manager.setup((context) => ({
    name: 'bench',
    concurrency: 4,
    watches: [{ cache: context.cache(configMapResource), toKeys: ({ object }) => [keyOf(object.metadata)] }],
    reconcile: () => Promise.resolve(((passes += 1), {})),
  }));
  const filledAt = performance.now();
  const running = manager.start(stopping.signal);
  await eventually(() => atLeast(passes, objects), { timeoutMs: EVENTS_LIMIT_MS, intervalMs: 5 });
  const fillMs = performance.now() - filledAt;
  const bytes = heapBytes() - before;
  const changes = await changesPerSecond(kube, objects, () => passes);
  stopping.abort();
  await running;
  return {
    objects,
    listMs: Math.round(listMs),
    fillAndFirstPassesMs: Math.round(fillMs),
    cacheBytesPerObject: Math.round(bytes / objects),
    changesPerSecond: Math.round(changes),
  };
}

/** From a change of every object to the last pass; the writes of the API server are part of it. */
async function changesPerSecond(kube: Kube, objects: number, passes: () => number): Promise<number> {
  const before = passes();
  const body = { metadata: { annotations: { turn: 'next' } } };
  const change = (index: number): Promise<unknown> =>
    kube.patch(configMapResource, { name: `bench-${index}`, namespace: NAMESPACE }, { type: 'merge', body });
  const seconds = await secondsOf(async () => {
    await forEach(objects, change, CONCURRENCY);
    await eventually(() => atLeast(passes() - before, objects), { timeoutMs: EVENTS_LIMIT_MS, intervalMs: 5 });
  });
  return objects / seconds;
}

function atLeast(have: number, wanted: number): void {
  if (have < wanted) throw new Error(`${have} of ${wanted} passes`);
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/**
 * The client compared with undici alone on the same server, and the cost of caches. Ratios of rates: 1 is as fast.
 */
export const runtimeBench: Bench = ({ full }) =>
  withHost(async ({ world: { host }, kube }) => {
    const [requests, objects] = full ? [5_000, 10_000] : [1_000, 10_000];
    const bare = await bareClient(host.kubeconfig);
    await forEach(objects, (index) => kube.apply(configMapResource, configMap(index), APPLY), CONCURRENCY);
    const compared = await requestsCompared(kube, bare, requests);
    const cache = await cacheCost(kube, objects);
    await bare.close();
    return { requestsPerRound: requests, rounds: ROUNDS, concurrency: CONCURRENCY, ...compared, cache };
  });
