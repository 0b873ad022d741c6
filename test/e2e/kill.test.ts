import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { faultsOf, tellKillStory } from '../../sandbox/stage/kill-story.js';
import { openStage, type Stage } from '../../sandbox/stage/stage.js';
import { useWorld } from '../support/world.js';

describe('the controller is killed (-9) during roll-outs', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage(await useWorld());
  }, 300_000);

  afterAll(async () => {
    await stage.close();
  }, 120_000);

  it('ends each time in the wanted state, without a duplicate child or a second deployed revision', async () => {
    const outcomes = await tellKillStory(stage, { seed: 4, kills: 5 });
    expect(outcomes.flatMap(faultsOf)).toEqual([]);
    expect(outcomes).toHaveLength(5);
  }, 600_000);
});
