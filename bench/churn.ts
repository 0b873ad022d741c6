import { kubeFromFile } from '#runtime/client/credentials.js';
import { runChurnScenario } from './scenarios/churn.js';
import type { Bench } from './bench.js';
import { ratio } from './figures.js';
import { withWorld } from './with-world.js';

const SEED = 40;
const MIB = 2 ** 20;

/** A controller follows objects that change without a rest: what it holds must not grow. */
export const churnBench: Bench = ({ full }) =>
  withWorld({ members: 0 }, async ({ host }) => {
    const kube = await kubeFromFile({ path: host.kubeconfig });
    const [objects, seconds] = full ? [5_000, 600] : [2_000, 120];
    const { kubeconfig } = host;
    const outcome = await runChurnScenario({ kube, kubeconfig, namespace: 'default', objects, seconds, seed: SEED });
    await kube.close();
    const last = outcome.samples.at(-1);
    const first = outcome.samples[0];
    return {
      objects,
      seconds,
      changesPerSecond: Math.round((outcome.changes - objects) / seconds),
      growth: outcome.growth,
      wrongCopies: outcome.wrongCopies.length,
      heapMiB: outcome.samples.map(({ heapBytes }) => Math.round(heapBytes / MIB)),
      sockets: outcome.samples.map(({ sockets }) => sockets),
      handles: outcome.samples.map(({ handles }) => handles),
      ratioHeapLastToFirst: ratio(last?.heapBytes ?? 0, first?.heapBytes ?? 1),
    };
  });
