import { isDeepStrictEqual } from 'node:util';
import { expect, it } from '@jest/globals';
import { advance } from '#controllers/application/model/rollout/advance.js';
import { stagesOf } from '#controllers/application/model/rollout/stages.js';
import type { Rollout, RolloutInput } from '#controllers/application/model/rollout/types.js';
import { Bakery, breaches, Casualties } from './oracle.js';
import { calmSpec, happen, MINUTE_MS, passTime, populate, randomKill, randomOf, randomSpec, work } from './schedule.js';
import { World, type Kill } from './world.js';

const SCHEDULES = 10_000;
/** Two of so many, one of them with a clock that jumps, are compared with its twin without kills, and brought to its end. */
const COMPARED = 8;
const TICKS = 9;
const MAX_PASSES = 12;
const MAX_CALM_TICKS = 60;
const CALM = { isReachable: true, isPaused: false, isRejected: false };

interface Run {
  readonly seed: number;
  /** Kills at some ticks. */
  readonly isKilled: boolean;
  readonly check?: (input: RolloutInput, result: Rollout) => string[];
}

/** Reconciles until nothing changes; undefined: it does not settle. */
function settle(world: World, { seed, check }: Run): Rollout {
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    const { input, result, writes } = world.pass();
    const found = check?.(input, result) ?? [];
    if (found.length > 0)
      throw new Error(`schedule ${seed}: ${found.join(', ')}\n${JSON.stringify({ input, result })}`);
    if (writes === 0) return result;
  }
  throw new Error(`schedule ${seed}: not settled after ${MAX_PASSES} passes`);
}

/** A schedule, whose world does not depend on the kills of the controller. */
function play(run: Run): World {
  const { seed, isKilled } = run;
  const random = randomOf(seed);
  const chance = randomOf(seed + 1_000_003);
  const world = new World(randomSpec(random), 'some');
  const failsPer10 = random(5);
  populate(world, random);
  let deadTicks = 0;
  for (let tick = 0; tick < TICKS; tick += 1) {
    happen(world, random);
    work(world, tick, failsPer10);
    passTime(world, random, seed % 2 === 0);
    // Down for a while: nothing is done meanwhile.
    deadTicks = random(12) === 0 ? random(4) : Math.max(0, deadTicks - 1);
    if (deadTicks > 0) continue;
    const kills: readonly Kill[] = isKilled ? Array.from({ length: chance(2) }, () => randomKill(chance)) : [];
    for (const kill of kills) world.pass(kill);
    settle(world, run);
  }
  return world;
}

/** All obstacles go: everything answers, nothing fails, and somebody approves. */
function calmDown(world: World): void {
  world.spec = calmSpec(world.spec);
  world.revision += 1;
  world.isWindowOpen = true;
  world.requests.paused = undefined;
  for (const member of world.members.values()) Object.assign(member, CALM);
}

function finish(world: World, run: Run): Rollout {
  calmDown(world);
  for (let tick = 0; tick < MAX_CALM_TICKS; tick += 1) {
    const result = settle(world, run);
    if (result.phase === 'Complete') return result;
    const waiting = result.stages.find(({ phase }) => phase === 'AwaitingApproval');
    if (waiting !== undefined) world.requests.approved = waiting.approval;
    for (const member of world.members.values()) if (member.content !== undefined) member.health = 'ready';
    world.nowMs += 31 * MINUTE_MS;
  }
  throw new Error(`schedule ${run.seed}: did not end\n${JSON.stringify(advance(world.input()))}`);
}

it(`holds its promises in ${SCHEDULES} schedules, killed or not, and ends once nothing is in its way`, () => {
  for (let seed = 1; seed <= SCHEDULES; seed += 1) {
    const bakery = new Bakery();
    const casualties = new Casualties();
    const jumps = seed % 2 === 0;
    const check = (input: RolloutInput, result: Rollout): string[] => {
      const stages = stagesOf(input.spec);
      const lost = casualties.watch(input, result, stages);
      return [...breaches(input, result, stages), ...lost, ...(jumps ? [] : bakery.watch(input, result, stages))];
    };
    const killed = play({ seed, isKilled: true, check });
    if (seed % COMPARED !== seed % 2) continue;
    const world = play({ seed, isKilled: false });
    if (!isDeepStrictEqual(killed.snapshot(), world.snapshot()))
      throw new Error(
        `schedule ${seed}: a killed controller ends elsewhere\n${JSON.stringify([world.snapshot(), killed.snapshot()])}`,
      );
    const result = finish(world, { seed, isKilled: false });
    expect(result.stages.reduce((sum, { ready }) => sum + ready, 0)).toBe(world.members.size);
    expect(result.record.lastGood).toBe(world.revision);
    expect(advance(world.input()).retryAfterMs).toBeUndefined();
  }
}, 300_000);
