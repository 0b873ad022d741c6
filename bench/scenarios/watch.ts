import { isDeepStrictEqual } from 'node:util';
import { configMapResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Cache, Controller } from '#runtime/controller.js';
import { type Kube, listAll } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { Manager } from '#runtime/manager.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import type { FaultProxy } from '../faults/fault-proxy.js';
import { eventually, seededRandom } from './eventually.js';

/** Names in use: few, so that objects are changed, deleted and made again many times. */
const NAMES = 40;
const DELETES = 0.25;
/** An event has more bytes than this, so there are more bytes than the cuts use up. */
const EVENT_BYTES = 400;
const SETTLE_LIMIT_MS = 180_000;

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

export interface WatchScenario {
  readonly proxy: FaultProxy;
  /** A client that bypasses the proxy: makes the changes and reads the true state. */
  readonly direct: Kube;
  /** A fresh one; all changes are in it. */
  readonly namespace: string;
  readonly seed: number;
  readonly changes: number;
  readonly fault: WatchFault;
}

/** What happens to the watch: cuts at random bytes of its body, or a restart of its server while it is blocked. */
type WatchFault = { readonly cuts: number } | { readonly restart: () => Promise<void> };

export interface WatchOutcome {
  readonly changes: number;
  readonly cuts: number;
  /** Full lists, streamed or in pages. */
  readonly lists: number;
  readonly watches: number;
  readonly changedKeys: number;
  /** Keys whose last pass saw something else than what is there at the end. */
  readonly stalePasses: readonly string[];
  readonly cacheEqualsList: boolean;
}

type Changes = Pick<WatchScenario, 'direct' | 'namespace' | 'seed' | 'changes'>;

async function changeAtRandom({ direct, namespace, seed, changes }: Changes): Promise<Set<string>> {
  const random = seededRandom(seed);
  const there = new Set<string>();
  const changed = new Set<string>();
  for (let change = 0; change < changes; change += 1) {
    const ref = { name: `item-${Math.floor(random() * NAMES)}`, namespace };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: { change: String(change) } };
    if (there.has(ref.name) && random() < DELETES) {
      await direct.delete(configMapResource, ref);
      there.delete(ref.name);
    } else {
      await direct.apply<ConfigMap>(configMapResource, object, { fieldManager: 'scenario', force: true });
      there.add(ref.name);
    }
    changed.add(keyOf(ref));
  }
  return changed;
}

/** A controller whose passes only note which version of the object they saw; undefined: none. */
function noting(cache: Cache<ConfigMap>, noted: Map<string, string | undefined>): Controller {
  return {
    name: 'noting',
    concurrency: 2,
    watches: [{ cache, toKeys: ({ object }) => [keyOf(object.metadata)] }],
    reconcile: (key) => {
      noted.set(key, cache.get(parseKey(key))?.metadata.resourceVersion);
      return Promise.resolve({});
    },
  };
}

function withoutManagedFields(object: ConfigMap): ConfigMap {
  const metadata = { ...object.metadata };
  delete metadata.managedFields;
  return { ...object, metadata };
}

function byKey(objects: readonly ConfigMap[]): Map<string, ConfigMap> {
  return new Map(objects.map((object) => [keyOf(object.metadata), withoutManagedFields(object)]));
}

function isWatch(path: string): boolean {
  return path.includes('watch=true');
}

/** A manager behind the proxy whose passes note what they saw. */
interface Watcher {
  readonly noted: ReadonlyMap<string, string | undefined>;
  /** Resolves when its first list is whole: a cut of that is followed by another list, one of the watch by none. */
  whenSynced(): Promise<void>;
  objects(): ConfigMap[];
  stop(): Promise<void>;
}

function startWatcher({ proxy, namespace }: Pick<WatchScenario, 'proxy' | 'namespace'>): Watcher {
  const kube = proxy.kube();
  const manager = new Manager({ kube, log: createLogger('silent'), namespace });
  const noted = new Map<string, string | undefined>();
  const caches: Cache<ConfigMap>[] = [];
  manager.setup((context) => {
    const cache = context.cache<ConfigMap>(configMapResource);
    caches.push(cache);
    return noting(cache, noted);
  });
  const stopping = new AbortController();
  const running = manager.start(stopping.signal);
  return {
    noted,
    whenSynced: () =>
      eventually(() => {
        if (!caches.every(({ synced }) => synced)) throw new Error('the first list is not whole yet');
      }),
    objects: () => caches.flatMap((cache) => cache.list()),
    stop: async () => {
      stopping.abort();
      await running;
      await kube.close();
    },
  };
}

/** Returns how to undo it. */
function injectCuts({ proxy, namespace, seed, changes }: WatchScenario, cuts: number): () => void {
  const random = seededRandom(seed + 1);
  const longest = 2 * EVENT_BYTES * (changes / cuts);
  return proxy.http.inject({
    match: ({ path }) => isWatch(path) && path.includes(namespace),
    times: cuts,
    cutBodyAfter: () => Math.floor(random() * longest),
  });
}

/** Half of the changes are made while the manager hears nothing. */
async function changeAroundRestart(
  { scenario, watcher }: Omit<Known, 'changed'>,
  restart: () => Promise<void>,
): Promise<Set<string>> {
  const { proxy, seed } = scenario;
  const half = { ...scenario, changes: scenario.changes / 2 };
  const before = await changeAtRandom(half);
  await settled({ scenario, watcher, changed: before });
  proxy.tcp.block();
  const during = await changeAtRandom({ ...half, seed: seed + 1 });
  await restart();
  await proxy.tcp.restore();
  return new Set([...before, ...during]);
}

/**
 * Changes ConfigMaps at random while a manager watches them through the fault: its watch is cut, most of the time
 * within a line, or it must resume at a version that its restarted server no longer has. Then waits, for a limited
 * time, until the manager knows everything; what it does not know then is in the outcome.
 */
export async function runWatchScenario(scenario: WatchScenario): Promise<WatchOutcome> {
  const { fault } = scenario;
  const stopCuts = 'cuts' in fault ? injectCuts(scenario, fault.cuts) : () => undefined;
  const watcher = startWatcher(scenario);
  try {
    await watcher.whenSynced();
    const changed =
      'cuts' in fault
        ? await changeAtRandom(scenario)
        : await changeAroundRestart({ scenario, watcher }, fault.restart);
    return await settled({ scenario, watcher, changed });
  } finally {
    stopCuts();
    await watcher.stop();
  }
}

interface Known {
  readonly scenario: WatchScenario;
  readonly watcher: Watcher;
  readonly changed: ReadonlySet<string>;
}

async function settled(known: Known): Promise<WatchOutcome> {
  let last: WatchOutcome | undefined;
  const check = async (): Promise<WatchOutcome> => {
    last = await outcomeOf(known);
    if (last.stalePasses.length > 0 || !last.cacheEqualsList) throw new Error('not all is known yet');
    return last;
  };
  try {
    return await eventually(check, { timeoutMs: SETTLE_LIMIT_MS, intervalMs: 500 });
  } catch (error: unknown) {
    if (last === undefined) throw error;
    return last;
  }
}

async function outcomeOf({ scenario, watcher, changed }: Known): Promise<WatchOutcome> {
  const { noted } = watcher;
  const { direct, proxy, namespace, changes } = scenario;
  const { items } = await listAll<ConfigMap>(direct, configMapResource, { namespace });
  const truth = byKey(items);
  const ours = proxy.http.seen.filter(({ path }) => path.includes(`${namespace}/configmaps`));
  const watches = ours.filter(({ path }) => isWatch(path));
  const streamed = watches.filter(({ path }) => path.includes('sendInitialEvents'));
  const stale = [...changed].filter(
    (key) => !noted.has(key) || noted.get(key) !== truth.get(key)?.metadata.resourceVersion,
  );
  return {
    changes,
    cuts: proxy.http.bodiesCut,
    lists: ours.length - watches.length + streamed.length,
    watches: watches.length,
    changedKeys: changed.size,
    stalePasses: stale,
    cacheEqualsList: isDeepStrictEqual(byKey(watcher.objects()), truth),
  };
}
