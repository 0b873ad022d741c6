import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { namespaceResource } from '#api/core.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import { startWorld } from '#sandbox/world.js';
import { leaderFaults, runLeaderScenario } from './scenarios/leader.js';
import type { Bench } from './bench.js';

const SEED = 20;
const NAMESPACE = 'leader';

/** Kills, stops and cuts off the leader of two replicas 20 times (5 without --full): there must be no fault. */
export const leaderBench: Bench = async ({ full }) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'fairlead-bench-'));
  const world = await startWorld({ dir, members: 0 });
  const kube = await kubeFromFile({ path: world.host.kubeconfig });
  try {
    await kube.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    const scenario = { cluster: world.host, kube, namespace: NAMESPACE, dir, seed: SEED, runs: full ? 20 : 5 };
    const result = await runLeaderScenario(scenario);
    const takeovers = result.outcomes.map(({ takeoverMs }) => takeoverMs);
    return { runs: result.outcomes, faults: leaderFaults(result), longestTakeoverMs: Math.max(...takeovers) };
  } finally {
    await kube.close();
    await world.stop();
  }
};
