import type {
  Rollout,
  RolloutInput,
  RolloutRecord,
  StageSpec,
  Target,
} from '#controllers/application/model/rollout/types.js';
import { textOf } from './builders.js';

const MINUTE_MS = 60_000;

/** The rules of budgets, said in another way than in the model. */
function limit(value: number | string | undefined, total: number, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value === 'number') return value;
  const percentage = Number(value.slice(0, -1));
  return percentage === 0 ? 0 : Math.max(1, Math.trunc((percentage / 100) * total + 1e-9));
}

function isActive({ state, isReachable }: Target): boolean {
  return state !== 'left' && isReachable;
}

function isOld({ state }: Target): boolean {
  return state === 'absent' || state === 'outdated';
}

function count(list: readonly Target[], test: (target: Target) => boolean): number {
  return list.filter(test).length;
}

/** What a reconciliation must never do, whatever came before. */
export function breaches(given: RolloutInput, result: Rollout, stages: readonly StageSpec[]): string[] {
  const { targets, record: before, spec, revision } = given;
  const known: RolloutRecord | undefined = before?.revision === revision ? before : undefined;
  const found: string[] = [];
  const must = (holds: boolean, text: string): void => {
    if (!holds) found.push(text);
  };
  const starts = (each: Target): boolean => isOld(each) && textOf(result.moves.get(each.id)) === 'target';
  const returns = (each: Target): boolean => !each.isAtPrevious && textOf(result.moves.get(each.id)) === 'previous';
  must(result.moves.size === targets.length && targets.every(({ id }) => result.moves.has(id)), 'a target has no move');
  must(result.stages.reduce((sum, { total }) => sum + total, 0) === targets.length, 'a target is in no stage');
  for (const { total, ready, updating, failed, unreachable, waiting, left } of result.stages)
    must(ready + updating + failed + unreachable + waiting + left === total, 'states do not add up');
  const started = targets.filter(starts);
  const returned = targets.filter(returns);
  must([...started, ...returned].every(isActive), 'an unreachable destination is started');
  must(spec.paused !== true || started.length + returned.length === 0, 'something moves while it is paused');
  const passesWindow = given.requests.ignoreWindows === String(revision) || given.windowAt(0).open;
  must(passesWindow || started.length === 0, 'something starts outside of its window');
  must(known?.rolledBack !== undefined || returned.length === 0, 'something goes back before that is written');
  must(result.record.rolledBack === undefined || started.length === 0, 'a rolled back revision starts');
  for (const [index, stage] of stages.entries()) {
    const members = targets.filter((each) => each.stage === index);
    const down = (each: Target): boolean => isActive(each) && each.state !== 'absent' && !each.isAvailable;
    const flies = (each: Target): boolean => isActive(each) && each.state === 'updating';
    const moved = (each: Target): boolean => starts(each) || returns(each);
    const downAfter = count(members, (each) => down(each) || moved(each));
    const fliesAfter = count(members, (each) => flies(each) || moved(each));
    const most = limit(stage.maxUnavailable, members.length, Infinity);
    must(downAfter <= Math.max(most, count(members, down)), `maxUnavailable of ${stage.name} is exceeded`);
    const together = limit(stage.maxConcurrent, members.length, Infinity);
    must(fliesAfter <= Math.max(together, count(members, flies)), `maxConcurrent of ${stage.name} is exceeded`);
    const lost = count(members, (each) => isActive(each) && each.state === 'failed');
    const isOver = spec.onFailure !== 'Continue' && lost > limit(spec.failureBudget, members.length, 0);
    const stopped = known?.completedAt === undefined ? started : started.filter((each) => each.stage === index);
    must(!isOver || stopped.length === 0, `${stage.name} failed, and something starts`);
    const isNew = !known?.stages.some(({ name }) => name === stage.name) && members.some(starts);
    if (!isNew || result.record.completedAt !== undefined) continue;
    const earlier = targets.filter((each) => each.stage < index && isActive(each));
    must(!earlier.some((each) => isOld(each) || each.state === 'updating'), `${stage.name} begins too early`);
    const isApproved = given.requests.approved === `${stage.name}@${revision}`;
    must(stage.approval !== true || isApproved, `${stage.name} begins without its approval`);
  }
  return found;
}

/** Watches the bake times of schedules whose clock does not jump. */
export class Bakery {
  readonly #since = new Map<string, number>();
  #revision = 0;

  /** What begins before the stage above it was settled for its time. */
  watch(
    { revision, record, nowMs, targets, spec }: RolloutInput,
    result: Rollout,
    stages: readonly StageSpec[],
  ): string[] {
    if (revision !== this.#revision) this.#since.clear();
    this.#revision = revision;
    const old = record?.revision === revision ? record.stages : [];
    const begins = (name: string): boolean =>
      result.record.stages.some((each) => each.name === name) && !old.some((each) => each.name === name);
    const found: string[] = [];
    for (const [index, { name, bakeTime = '0m' }] of stages.entries()) {
      const members = targets.filter((each) => each.stage === index);
      const isSettled = !members.some((each) => isActive(each) && (isOld(each) || each.state === 'updating'));
      const lost = count(members, (each) => isActive(each) && each.state === 'failed');
      const isFine =
        isSettled && (spec.onFailure === 'Continue' || lost <= limit(spec.failureBudget, members.length, 0));
      if (!isFine || !result.record.stages.some((each) => each.name === name)) this.#since.delete(name);
      else if (!this.#since.has(name)) this.#since.set(name, nowMs);
      const next = stages[index + 1];
      const sinceMs = this.#since.get(name) ?? nowMs;
      const ms = Number.parseInt(bakeTime, 10) * MINUTE_MS;
      const isShort = members.length > 0 && nowMs - sinceMs < ms && result.record.completedAt === undefined;
      if (next !== undefined && begins(next.name) && isShort) found.push(`${next.name} begins before ${name} baked`);
    }
    return found;
  }
}
