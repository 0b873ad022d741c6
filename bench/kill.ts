import { faultsOf, runKillScenario } from './scenarios/kill.js';
import { setUp } from './scenarios/setup.js';
import type { Bench } from './bench.js';
import { withWorld } from './with-world.js';

const SEED = 20;

/**
 * Kills the controller 20 times (5 without --full) during roll-outs and counts what went wrong: every count must be 0.
 */
export const killBench: Bench = ({ full }) =>
  withWorld({ members: 2 }, async (world) => {
    const setup = await setUp(world);
    const outcomes = await runKillScenario(setup, { seed: SEED, kills: full ? 20 : 5 });
    await setup.tearDown();
    const revisions = outcomes.flatMap(({ releases }) => releases.map(({ newRevisions }) => newRevisions));
    return {
      kills: outcomes.length,
      faults: outcomes.flatMap(faultsOf),
      extraRevisions: revisions.reduce((sum, each) => sum + Math.max(0, each - 1), 0),
      mostRevisionsOfOneKill: Math.max(...revisions),
    };
  });
