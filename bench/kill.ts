import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { faultsOf, tellKillStory } from '../sandbox/stage/kill-story.js';
import { openStage } from '../sandbox/stage/stage.js';
import { startWorld } from '../sandbox/world.js';
import type { Bench } from './bench.js';

const SEED = 20;

/** Kills the controller 20 times (5 without --full) during roll-outs and counts what went wrong: every count must be 0. */
export const killBench: Bench = async ({ full }) => {
  const world = await startWorld({ dir: await mkdtemp(path.join(tmpdir(), 'fairlead-bench-')), members: 2 });
  try {
    const stage = await openStage(world);
    const outcomes = await tellKillStory(stage, { seed: SEED, kills: full ? 20 : 5 });
    await stage.close();
    const revisions = outcomes.flatMap(({ releases }) => releases.map(({ newRevisions }) => newRevisions));
    return {
      kills: outcomes.length,
      faults: outcomes.flatMap(faultsOf),
      extraRevisions: revisions.reduce((sum, each) => sum + Math.max(0, each - 1), 0),
      mostRevisionsOfOneKill: Math.max(...revisions),
    };
  } finally {
    await world.stop();
  }
};
