import { setMaxListeners } from 'node:events';
import pLimit from 'p-limit';
import { clusterIdText, type Cluster } from '#controllers/cluster/model/cluster.js';
import { probeCluster } from '#controllers/cluster/probe/probe-cluster.js';
import type { Kube } from '#runtime/kube.js';
import { CancelledError } from '#lib/errors.js';
import type { Findings, ProbeFinding } from './probed-view.js';

const AT_ONCE = 10;
/** For all clusters together; those that are left are not probed. */
const LIMIT_MS = 60_000;
const NOT_PROBED: ProbeFinding = { reachability: 'NotProbed', message: `other clusters took ${LIMIT_MS / 1_000} s` };

async function findingOf(cluster: Cluster, kube: Kube, signal: AbortSignal): Promise<ProbeFinding> {
  if (cluster.isHost) return { reachability: 'Reachable', server: kube.server, version: undefined, uid: undefined };
  try {
    return await probeCluster(cluster, { kube, rules: { allowInsecure: false } }, signal);
  } catch (error: unknown) {
    if (error instanceof CancelledError) return NOT_PROBED;
    throw error;
  }
}

/** Asks every cluster once, with the credential that the user may read. */
export async function probeClusters(kube: Kube, clusters: readonly Cluster[]): Promise<Findings> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  // Every connection listens to the one signal: that is no leak.
  setMaxListeners(0, signal);
  const limit = pLimit(AT_ONCE);
  const findings = clusters.map((cluster) =>
    limit(async () => [clusterIdText(cluster.id), await findingOf(cluster, kube, signal)] as const),
  );
  return new Map(await Promise.all(findings));
}
