import { runChurnScenario } from './scenarios/churn.js';
import { faultsOf, runKillScenario } from './scenarios/kill.js';
import { setUp } from './scenarios/setup.js';
import { leaderFaults, runLeaderScenario } from './scenarios/leader.js';
import { startFaultProxy } from './faults/fault-proxy.js';
import { runWatchScenario } from './scenarios/watch.js';
import { ratio } from './figures.js';
import { type Bench, withHost, withWorld } from './harness.js';
import { createNamespaces } from './objects.js';

const MIB = 2 ** 20;

/** A controller follows objects that change without a rest: what it holds must not grow. */
export const churnBench: Bench = ({ full }) =>
  withHost(async ({ world: { host }, kube }) => {
    const [objects, seconds] = full ? [5_000, 600] : [2_000, 120];
    const { kubeconfig } = host;
    const outcome = await runChurnScenario({ kube, kubeconfig, namespace: 'default', objects, seconds, seed: 40 });
    const { growth, samples, wrongCopies } = outcome;
    return {
      ...{ objects, seconds, growth },
      changesPerSecond: Math.round((outcome.changes - objects) / seconds),
      wrongCopies: wrongCopies.length,
      heapMiB: samples.map(({ heapBytes }) => Math.round(heapBytes / MIB)),
      sockets: samples.map(({ sockets }) => sockets),
      handles: samples.map(({ handles }) => handles),
      ratioHeapLastToFirst: ratio(samples.at(-1)?.heapBytes ?? 0, samples[0]?.heapBytes ?? 1),
    };
  });

/**
 * Kills the controller 20 times (5 without --full) during roll-outs and counts what went wrong: every count must be 0.
 */
export const killBench: Bench = ({ full }) =>
  withWorld({ members: 2 }, async (world) => {
    const setup = await setUp(world);
    const outcomes = await runKillScenario(setup, { seed: 20, kills: full ? 20 : 5 });
    await setup.tearDown();
    const revisions = outcomes.flatMap(({ releases }) => releases.map(({ newRevisions }) => newRevisions));
    return {
      kills: outcomes.length,
      faults: outcomes.flatMap(faultsOf),
      extraRevisions: revisions.reduce((sum, each) => sum + Math.max(0, each - 1), 0),
      mostRevisionsOfOneKill: Math.max(...revisions),
    };
  });

/** Kills, stops and cuts off the leader of two replicas 20 times (5 without --full): there must be no fault. */
export const leaderBench: Bench = ({ full }) =>
  withHost(async ({ world: { host: cluster, dir }, kube }) => {
    const namespace = 'leader';
    await createNamespaces(kube, namespace);
    const result = await runLeaderScenario({ cluster, kube, namespace, dir, seed: 20, runs: full ? 20 : 5 });
    const takeovers = result.outcomes.map(({ takeoverMs }) => takeoverMs);
    return { runs: result.outcomes, faults: leaderFaults(result), longestTakeoverMs: Math.max(...takeovers) };
  });

/**
 * Cuts a watch at 200 random bytes during 2,000 changes (50 in 500 without --full): nothing may be stale in the end.
 */
export const watchBench: Bench = ({ full }) =>
  withHost(async ({ world: { host }, kube: direct }) => {
    const proxy = await startFaultProxy(host);
    const [cuts, changes] = full ? [200, 2_000] : [50, 500];
    const startedAt = performance.now();
    const scenario = { proxy, direct, namespace: 'default', seed: 200, changes, fault: { cuts } };
    const outcome = await runWatchScenario(scenario);
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    await proxy.close();
    return { ...outcome, seconds };
  });
