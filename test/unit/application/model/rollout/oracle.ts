import type {
  Rollout,
  RolloutInput,
  RolloutRecord,
  RolloutSpec,
  StageSpec,
  Target,
} from '#controllers/application/model/rollout/types.js';
import { shortHash } from '#lib/hash.js';
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
  return state !== 'left' && state !== 'rejected' && isReachable;
}

/** True if a destination failed before and is retried, while nothing else may start. */
function isRetried({ id }: Target, { record, revision }: RolloutInput): boolean {
  return record?.revision === revision && record.failing?.some((text) => text.startsWith(shortHash(id))) === true;
}

function isOld({ state }: Target): boolean {
  return state === 'absent' || state === 'outdated';
}

function count(list: readonly Target[], test: (target: Target) => boolean): number {
  return list.filter(test).length;
}

type Must = (holds: boolean, text: string) => void;

/** What is known of one reconciliation. */
interface Seen {
  readonly given: RolloutInput;
  readonly result: Rollout;
  /** The record of this revision before it. */
  readonly known: RolloutRecord | undefined;
  readonly starts: (target: Target) => boolean;
  readonly returns: (target: Target) => boolean;
}

const isDown = (each: Target): boolean => isActive(each) && each.state !== 'absent' && !each.isAvailable;
const isFlying = (each: Target): boolean => isActive(each) && each.state === 'updating';
const isFailing = (each: Target): boolean => isActive(each) && each.state === 'failed';

function checkCounts({ given: { targets }, result }: Seen, must: Must): void {
  must(result.moves.size === targets.length && targets.every(({ id }) => result.moves.has(id)), 'a target has no move');
  must(result.stages.reduce((sum, { total }) => sum + total, 0) === targets.length, 'a target is in no stage');
  for (const { total, ready, updating, failed, unreachable, waiting, left, rejected = 0 } of result.stages)
    must(ready + updating + failed + unreachable + waiting + left + rejected === total, 'states do not add up');
}

function checkMoves({ given, result, known, starts, returns }: Seen, must: Must): void {
  const started = given.targets.filter(starts);
  const returned = given.targets.filter(returns);
  must([...started, ...returned].every(isActive), 'an unreachable destination is started');
  const isPaused = given.spec.paused === true || given.requests.paused === 'true';
  must(!isPaused || started.length + returned.length === 0, 'something moves while it is paused');
  const passesWindow = given.requests.ignoreWindows === String(given.revision) || given.windowAt(0).open;
  must(passesWindow || started.length === 0, 'something starts outside of its window');
  must(known?.rolledBack !== undefined || returned.length === 0, 'something goes back before that is written');
  must(result.record.rolledBack === undefined || started.length === 0, 'a rolled back revision starts');
}

function checkBudgets(stage: StageSpec, members: readonly Target[], { starts, returns }: Seen, must: Must): void {
  const moved = (each: Target): boolean => starts(each) || returns(each);
  const downAfter = count(members, (each) => isDown(each) || moved(each));
  const most = limit(stage.maxUnavailable, members.length, Infinity);
  must(downAfter <= Math.max(most, count(members, isDown)), `maxUnavailable of ${stage.name} is exceeded`);
  const fliesAfter = count(members, (each) => isFlying(each) || moved(each));
  const together = limit(stage.maxConcurrent, members.length, Infinity);
  must(fliesAfter <= Math.max(together, count(members, isFlying)), `maxConcurrent of ${stage.name} is exceeded`);
}

/** More of a stage failed than it may lose, or all of it. */
function isOver(members: readonly Target[], { onFailure, failureBudget }: RolloutSpec): boolean {
  const [failing, active] = [count(members, isFailing), count(members, isActive)];
  const isWhole = failing > 0 && failing === active;
  return onFailure !== 'Continue' && (isWhole || failing > limit(failureBudget, members.length, 0));
}

function checkFailures(stage: StageSpec, members: readonly Target[], { given, known, starts }: Seen, must: Must): void {
  const stopped = (known?.completedAt === undefined ? given.targets : members).filter(
    (each) => !isRetried(each, given),
  );
  must(!isOver(members, given.spec) || !stopped.some(starts), `${stage.name} failed, and something starts`);
}

/** By default one that is reachable must have shown that the revision works. */
function isWithinUnreachable(members: readonly Target[], { spec: { unreachableBudget }, targets }: RolloutInput) {
  const lost = count(members, ({ isReachable }) => !isReachable);
  if (unreachableBudget === undefined) return lost === 0 || lost < members.length;
  const total = count(targets, ({ stage }) => stage === members[0]?.stage);
  return lost <= limit(unreachableBudget, total, 0);
}

/** True if some destinations take no part or are rejected, and no other one shows that the revision works. */
function provesNothing(members: readonly Target[]): boolean {
  return count(members, isActive) === 0 && members.some(({ state }) => state === 'left' || state === 'rejected');
}

function checkBegin(stage: StageSpec, index: number, { given, result, known, starts }: Seen, must: Must): void {
  const isNew = !known?.stages.some(({ name }) => name === stage.name);
  const begins = given.targets.some((each) => each.stage === index && starts(each));
  if (!isNew || !begins || result.record.completedAt !== undefined) return;
  const text = `${stage.name}@${given.revision}`;
  const isUnprovenApproved = given.requests.approved === `${text}@unproven`;
  const earlier = given.targets.filter((each) => each.stage < index && isActive(each));
  must(!earlier.some((each) => isOld(each) || isFlying(each)), `${stage.name} begins too early`);
  for (let above = 0; above < index; above += 1) {
    const all = given.targets.filter((each) => each.stage === above);
    const members = all.filter(({ state }) => state !== 'left' && state !== 'rejected');
    must(isWithinUnreachable(members, given), `${stage.name} begins, and an earlier stage is unreachable`);
    const next = Math.min(...given.targets.map((each) => each.stage).filter((each) => each > above));
    const mayBegin = next < index || isUnprovenApproved || given.spec.onFailure === 'Continue';
    must(mayBegin || !provesNothing(all), `${stage.name} begins, and an earlier stage proves nothing`);
  }
  const isApproved = new Set<string | undefined>([`${text}@unproven`, text]).has(given.requests.approved);
  must(stage.approval !== true || isApproved, `${stage.name} begins without its approval`);
}

/** What a reconciliation did that it must never do, whatever came before. */
export function breaches(given: RolloutInput, result: Rollout, stages: readonly StageSpec[]): string[] {
  const found: string[] = [];
  const must: Must = (holds, text) => {
    if (!holds) found.push(text);
  };
  const seen: Seen = {
    given,
    result,
    known: given.record?.revision === given.revision ? given.record : undefined,
    starts: (each) => isOld(each) && textOf(result.moves.get(each.id)) === 'target',
    returns: (each) => !each.isAtPrevious && textOf(result.moves.get(each.id)) === 'previous',
  };
  checkCounts(seen, must);
  checkMoves(seen, must);
  for (const [index, stage] of stages.entries()) {
    const members = given.targets.filter((each) => each.stage === index);
    checkBudgets(stage, members, seen, must);
    checkFailures(stage, members, seen, must);
    checkBegin(stage, index, seen, must);
  }
  return found;
}

function isAtRest(members: readonly Target[], spec: RolloutSpec): boolean {
  return !members.some((each) => isActive(each) && (isOld(each) || isFlying(each))) && !isOver(members, spec);
}

/**
 * Watches destinations that failed and were not Ready since. Retrying, pausing or removing them must not allow others
 * to start.
 */
export class Casualties {
  /** Ids of the failed destinations, with the names of their stages. */
  readonly #ids = new Map<string, string>();
  #episode = '';

  /** What starts while more failed than may. */
  watch(given: RolloutInput, result: Rollout, stages: readonly StageSpec[]): string[] {
    const { revision, record, targets, spec } = given;
    const retried = result.record.retried ?? '';
    if (`${revision} ${retried}` !== this.#episode) this.#ids.clear();
    this.#episode = `${revision} ${retried}`;
    const isComplete = record?.revision === revision && record.completedAt !== undefined;
    const isOver = isComplete || result.record.rolledBack !== undefined;
    for (const each of targets) this.#note(each, isOver, stages);
    const present = new Set(targets.map(({ id }) => id));
    if (isOver) this.#forget(present);
    const starts = (each: Target): boolean =>
      isOld(each) && !isRetried(each, given) && textOf(result.moves.get(each.id)) === 'target';
    return stages.flatMap(({ name }) => {
      const members = targets.filter((each) => (this.#ids.get(each.id) ?? stages[each.stage]?.name) === name);
      const gone = [...this.#ids].filter(([id, stage]) => !present.has(id) && stage === name).length;
      const lost = gone + count(members, ({ id }) => this.#ids.has(id));
      const isStopped = spec.onFailure !== 'Continue' && lost > limit(spec.failureBudget, members.length + gone, 0);
      const leaks = isStopped && (isComplete ? members : targets).some(starts);
      return leaks ? [`${lost} of ${name} failed and were not Ready since, and something starts`] : [];
    });
  }

  #forget(present: ReadonlySet<string>): void {
    for (const id of this.#ids.keys()) if (!present.has(id)) this.#ids.delete(id);
  }

  /** Keeps the stage in which a destination failed, as long as the spec has a stage of that name. */
  #note(each: Target, isOver: boolean, stages: readonly StageSpec[]): void {
    const { id, state } = each;
    const isBroken = isOver ? state === 'updating' || state === 'failed' : state !== 'ready';
    if (isFailing(each) || (isBroken && this.#ids.has(id))) this.#ids.set(id, this.#stageOf(each, isOver, stages));
    else this.#ids.delete(id);
  }

  #stageOf({ id, stage }: Target, isOver: boolean, stages: readonly StageSpec[]): string {
    const before = isOver ? undefined : stages.find(({ name }) => name === this.#ids.get(id));
    return (before ?? stages[stage])?.name ?? '';
  }
}

/** Watches the bake times of schedules whose clock does not jump. */
export class Bakery {
  readonly #since = new Map<string, number>();
  #revision = 0;

  /** What begins before the stage above it was settled for its time. */
  watch(given: RolloutInput, result: Rollout, stages: readonly StageSpec[]): string[] {
    const { revision, record, nowMs, targets, spec } = given;
    if (revision !== this.#revision) this.#since.clear();
    this.#revision = revision;
    const old = record?.revision === revision ? record.stages : [];
    const has = (list: Rollout['record']['stages'], name: string): boolean => list.some((each) => each.name === name);
    return stages.flatMap((stage, index) => {
      const members = targets.filter((each) => each.stage === index);
      this.#note(stage.name, has(result.record.stages, stage.name) && isAtRest(members, spec), nowMs);
      const next = stages[index + 1]?.name;
      const begins = next !== undefined && has(result.record.stages, next) && !has(old, next);
      const isOpen = begins && members.length > 0 && result.record.completedAt === undefined;
      // A stage that proves nothing has nothing to bake: an approval passes it.
      return isOpen && !provesNothing(members) && !this.#isBaked(stage, nowMs)
        ? [`${next} begins before ${stage.name} baked`]
        : [];
    });
  }

  #note(name: string, isSettled: boolean, nowMs: number): void {
    if (!isSettled) this.#since.delete(name);
    else if (!this.#since.has(name)) this.#since.set(name, nowMs);
  }

  #isBaked({ name, bakeTime = '0m' }: StageSpec, nowMs: number): boolean {
    return nowMs - (this.#since.get(name) ?? nowMs) >= Number.parseInt(bakeTime, 10) * MINUTE_MS;
  }
}
