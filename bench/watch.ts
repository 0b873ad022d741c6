import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kubeFromFile } from '#runtime/client/credentials.js';
import { startWorld } from '#sandbox/world.js';
import { startFaultProxy } from './faults/fault-proxy.js';
import { runWatchScenario } from './scenarios/watch.js';
import type { Bench } from './bench.js';

const SEED = 200;

/**
 * Cuts a watch at 200 random bytes during 2,000 changes (50 in 500 without --full): nothing may be stale in the end.
 */
export const watchBench: Bench = async ({ full }) => {
  const world = await startWorld({ dir: await mkdtemp(path.join(tmpdir(), 'fairlead-bench-')), members: 0 });
  try {
    const direct = await kubeFromFile({ path: world.host.kubeconfig });
    const proxy = await startFaultProxy(world.host);
    const [cuts, changes] = full ? [200, 2_000] : [50, 500];
    const startedAt = performance.now();
    const outcome = await runWatchScenario({
      proxy,
      direct,
      namespace: 'default',
      seed: SEED,
      changes,
      fault: { cuts },
    });
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    await proxy.close();
    await direct.close();
    return { ...outcome, seconds };
  } finally {
    await world.stop();
  }
};
