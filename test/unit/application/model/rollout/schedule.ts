import type { RolloutSpec, StageSpec } from '#controllers/application/model/rollout/types.js';
import { approvalOf } from '#api/v1alpha1/approve-command.js';
import { mixed, type Health, type Kill, type Member, type World } from './world.js';

const MINUTE_MS = 60_000;
const TIERS = ['canary', 'early', 'late', 'other'];

export type Random = (below: number) => number;

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    return mixed(state) % below;
  };
}

function pick<T>(random: Random, list: readonly T[]): T {
  return list[random(list.length)]!;
}

type Limit = number | string | undefined;

function stageFor(random: Random, name: string): StageSpec {
  const maxConcurrent = pick<Limit>(random, [undefined, undefined, 1, 2, '50%', '10%', '0%']);
  const maxUnavailable = pick<Limit>(random, [undefined, undefined, 1, 2, '34%', '0%', 0]);
  const bakeTime = pick(random, [undefined, '5m', '30m']);
  return {
    name,
    ...(name === 'rest' ? {} : { clusters: { selector: { matchLabels: { tier: name } } } }),
    ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
    ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
    ...(bakeTime === undefined ? {} : { bakeTime }),
    approval: random(4) === 0,
  };
}

export function randomSpec(random: Random): RolloutSpec {
  const names = [...TIERS.slice(0, random(4)), ...(random(2) === 0 ? ['rest'] : [])];
  return {
    stages: names.map((name) => stageFor(random, name)),
    onFailure: pick(random, ['Pause', 'Rollback', 'Continue']),
    failureBudget: pick<number | string>(random, [0, 0, 1, '50%']),
    ...(random(2) === 0 ? {} : { unreachableBudget: pick<number | string>(random, ['100%', 0, 1]) }),
  };
}

/** Nothing in it stops a rollout for good. */
export function calmSpec({ stages = [] }: RolloutSpec): RolloutSpec {
  const calm = stages.map(({ name, clusters, bakeTime, approval }) => ({
    name,
    ...(clusters === undefined ? {} : { clusters }),
    ...(bakeTime === undefined ? {} : { bakeTime }),
    approval: approval === true,
    maxConcurrent: 1,
    maxUnavailable: '10%',
  }));
  return { stages: calm, onFailure: 'Pause' };
}

export function populate(world: World, random: Random): void {
  const count = 1 + random(9);
  for (let index = 0; index < count; index += 1) world.join(`m${index}`, pick(random, TIERS));
}

function healthAfter({ id, content = 0, health }: Member, tick: number, failsPer10: number): Health {
  const dice = mixed(id.charCodeAt(1), content, tick) % 100;
  if (health === 'ready') return dice < 3 ? 'progressing' : 'ready';
  // A retry may end as it did before.
  if (health === 'failed' && dice < 40) return dice < 8 ? 'ready' : 'progressing';
  if (health === 'failed') return 'failed';
  if (dice >= 60) return 'progressing';
  return mixed(id.charCodeAt(1), content, 7) % 10 < failsPer10 ? 'failed' : 'ready';
}

/** What engines do until the next tick: it depends on nothing but the member, its content and the tick. */
export function work(world: World, tick: number, failsPer10: number): void {
  for (const member of world.members.values()) {
    const isWorking = member.content !== undefined && member.isReachable && !member.isPaused;
    if (isWorking) member.health = healthAfter(member, tick, failsPer10);
  }
}

type Happening = (world: World, random: Random) => unknown;

function someone(world: World, random: Random) {
  return pick(random, [...world.members.values()]);
}

function leave(world: World, random: Random): void {
  if (world.members.size > 1) world.members.delete(someone(world, random).id);
}

/** Sets a field to a random value of a list. */
function set<K extends string, V>(target: Record<K, V>, key: K, random: Random, values: readonly V[]): void {
  target[key] = pick(random, values);
}

const HAPPENINGS: readonly Happening[] = [
  (world, random) => set(someone(world, random), 'isReachable', random, [false, true, true]),
  (world, random) => set(someone(world, random), 'isReachable', random, [false, true, true]),
  (world, random) => set(someone(world, random), 'isReachable', random, [false, true, true]),
  (world, random) => set(someone(world, random), 'isPaused', random, [true, false, false]),
  (world, random) => set(someone(world, random), 'isPaused', random, [true, false, false]),
  (world, random) => set(someone(world, random), 'isRejected', random, [true, false, false]),
  (world, random) => set(someone(world, random), 'isRejected', random, [true, false, false]),
  (world, random) => world.join(`n${random(5)}`, pick(random, TIERS)),
  leave,
  (world) => Object.assign(world, { revision: world.revision + 1 }),
  (world, random) => Object.assign(world, { spec: randomSpec(random) }),
  (world, random) => Object.assign(world, { spec: { ...world.spec, paused: random(3) === 0 } }),
  (world, random) => set(world, 'isWindowOpen', random, [true, true, false]),
  (world, random) => Object.assign(world.requests, { retry: `${world.revision}@${random(9)}` }),
  (world, random) => Object.assign(world.requests, { abort: `${world.revision}@${random(9)}` }),
  (world, random) => set(world.requests, 'paused', random, [undefined, 'true', 'false']),
  (world, random) => set(world.requests, 'ignoreWindows', random, [undefined, String(world.revision)]),
  approve,
  approve,
  approve,
];

function approve(world: World, random: Random): void {
  const names = [...(world.spec.stages ?? []).map(({ name }) => name), 'rest'];
  const revision = world.revision - (random(6) === 0 ? 1 : 0);
  world.requests.approved = approvalOf(pick(random, names), String(revision), random(2) === 0);
}

/** What members and users do at a tick. */
export function happen(world: World, random: Random): void {
  while (random(3) === 0) pick(random, HAPPENINGS)(world, random);
}

/** Time goes on, or the clock jumps. */
export function passTime(world: World, random: Random, jumps: boolean): void {
  world.nowMs += random(12) * MINUTE_MS + random(1_000);
  if (jumps && random(20) === 0) world.nowMs += pick(random, [-90, -30, 600]) * MINUTE_MS;
}

export function randomKill(random: Random): Kill {
  return { afterMoves: random(4), isRecordFirst: random(2) === 0 };
}

export { MINUTE_MS };
