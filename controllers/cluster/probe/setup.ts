import { Gauge, type Registry } from 'prom-client';
import { secretResource } from '#api/core.js';
import type { Change, Controller, PassContext, Result, SetupContext, Watch } from '#runtime/controller.js';
import { clusterCaches, clusterWatches, inventoryOf, type Inventory } from '../inventory.js';
import type { Identities } from '../identities.js';
import { clusterIdText, type Cluster } from '../model/cluster.js';
import {
  clustersOfSecret,
  isLabelEdit,
  isOutdating,
  isProbed,
  isProbeNews,
  isSettledBy,
  nextProbe,
  probedId,
  probeKey,
  type Probed,
  type Reachability,
} from '../model/probe.js';
import { probeCluster } from './reach.js';

/** As many again run for namespaces of which none runs: ten at once. */
const CONCURRENCY = 5;
/** A label or a condition that flaps costs one probe in this time. */
const DELAY_MS = 2_000;
const STATES: readonly Reachability[] = ['Reachable', 'Unreachable', 'NoCredential'];

export interface ProbeOptions {
  readonly registry: Registry;
  /** The only namespace that the process reads; undefined: all. */
  readonly namespace: string | undefined;
  /** Accept kubeconfigs with `insecure-skip-tls-verify`. */
  readonly allowInsecure: boolean;
  /** Gets to know which clusters answer. */
  readonly identities: Identities;
}

/** By key; what the process knows. */
type Memory = Map<string, Probed>;

/** By state only: anybody may create Secrets that are clusters, and a series for each would have no bound. */
function addGauge(registry: Registry, inventory: Inventory, memory: Memory): void {
  new Gauge({
    name: 'fairlead_clusters',
    help: 'Clusters of the inventory by what the last probe of each found.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const count = (state: Reachability): number =>
        [...memory.values()].filter(({ reachability }) => reachability === state).length;
      for (const state of STATES) this.set({ state }, count(state));
      this.set({ state: 'NotProbed' }, Math.max(0, inventory.clusters().length - memory.size));
    },
  });
}

interface Deps extends ProbeOptions, Pick<SetupContext, 'kube' | 'events'> {
  readonly inventory: Inventory;
  readonly memory: Memory;
  /** Keys of the probes that run, without those of clusters whose object or credential changed meanwhile. */
  readonly running: Set<string>;
}

/** Asks nothing now: a cluster that is not ready is the same one as long as its credential is the same. */
function leaveAlone(key: string, { credential }: Cluster, { memory, identities }: Deps): Result {
  memory.delete(key);
  const id = clusterIdText(probedId(key));
  if (credential.type === 'host') identities.set(id, undefined);
  else identities.asked(id, true);
  return {};
}

function forget(key: string, { memory, identities }: Deps): void {
  memory.delete(key);
  identities.forget(clusterIdText(probedId(key)));
}

/** A cluster that does not tell is the one that it was, unless it is asked again: its object or credential changed. */
function settle(id: string, uid: string | undefined, identities: Identities): void {
  const known = identities.isToBeAsked(id) ? undefined : identities.uidOf(id);
  identities.set(id, uid ?? known);
}

async function probe(key: string, { signal, log }: PassContext, deps: Deps): Promise<Result> {
  const { kube, allowInsecure, inventory, memory, running, events, identities } = deps;
  const id = probedId(key);
  const [cluster, object] = [inventory.get(id), inventory.objectOf(id)];
  if (cluster === undefined || object === undefined) {
    forget(key, deps);
    return {};
  }
  if (!isProbed(cluster)) return leaveAlone(key, cluster, deps);
  running.add(key);
  const finding = await probeCluster(cluster, { kube, rules: { allowInsecure } }, signal);
  // It may have answered to the credential before.
  if (!running.delete(key)) return { requeueAfterMs: DELAY_MS };
  const next = nextProbe(memory.get(key), finding, Math.random());
  memory.set(key, next.probed);
  if (isSettledBy(finding)) settle(clusterIdText(id), finding.uid, identities);
  else identities.asked(clusterIdText(id));
  if ('message' in finding) log.debug({ why: finding.message }, 'cluster not reached');
  for (const { type, reason, message } of next.events) events.record(object, type, reason, message);
  return { requeueAfterMs: next.afterMs };
}

/** Probes wait for further changes. Until then, nobody may take a cluster for the one that answered before. */
function doubtAtOnce(ofClusters: readonly Watch[], ofSecrets: Watch, deps: Deps): void {
  const { inventory, running, identities } = deps;
  const doubt = (key: string, isSame = false): void => {
    const id = probedId(key);
    running.delete(key);
    if (inventory.get(id) === undefined) forget(key, deps);
    else identities.askAgain(clusterIdText(id), isSame);
  };
  for (const watch of ofClusters) watch.cache.onChange((change) => watch.toKeys(change).forEach((key) => doubt(key)));
  ofSecrets.cache.onChange((change) => {
    const isSame = isLabelEdit(change.previous, change.object);
    for (const key of ofSecrets.toKeys(change)) doubt(key, isSame);
  });
}

/** Asks each cluster of the inventory from time to time whether it answers. It writes nothing but Events. */
export function probeController(context: SetupContext, options: ProbeOptions): Controller {
  const caches = clusterCaches(context, options.namespace);
  const inventory = inventoryOf(caches);
  const memory: Memory = new Map();
  addGauge(options.registry, inventory, memory);
  const { kube, events } = context;
  const deps = { ...options, kube, events, inventory, memory, running: new Set<string>() };
  const keysIf =
    (isNews: typeof isProbeNews) =>
    (before: Cluster | undefined, after: Cluster | undefined): string[] => {
      const cluster = after ?? before;
      return cluster !== undefined && isNews(before, after) ? [probeKey(cluster.id)] : [];
    };
  const secrets = context.cache(secretResource, { metadataOnly: true });
  const ofSecret = ({ object: { metadata } }: Change): string[] =>
    clustersOfSecret(metadata.namespace ?? '', metadata.name).flatMap((id) =>
      inventory.get(id) ? [probeKey(id)] : [],
    );
  const ofSecrets: Watch = { cache: secrets, toKeys: ofSecret };
  doubtAtOnce(clusterWatches(caches, keysIf(isOutdating)), ofSecrets, deps);
  return {
    name: 'clusterprobe',
    concurrency: CONCURRENCY,
    watches: [...clusterWatches(caches, keysIf(isProbeNews)), ofSecrets].map((watch) => ({
      ...watch,
      delayMs: () => DELAY_MS,
    })),
    reconcile: (key, pass) => probe(key, pass, deps),
  };
}
