import pickBy from 'lodash/pickBy.js';
import { countOf, type CountOrPercentage, isCountOrPercentage } from '#lib/kube/count-or-percentage.js';
import { HASH_LENGTH, shortHash } from '#lib/hash.js';
import type { RolloutSpec, StageSpec, Tally, Target } from './types.js';

/** More are not remembered: while these are retried, they do not count as failed. */
const MAX_REMEMBERED = 1_000;
/** Number of hash characters that distinguish the stages of an Application. */
const TAG_LENGTH = 5;

/** The part of a stage that matters for remembered failures. */
interface Members {
  readonly spec: StageSpec;
  readonly members: readonly Target[];
  /** Remembered failures of this stage whose destinations have left it. */
  readonly gone?: readonly string[];
}

function tagOf(stage: string): string {
  return `-${shortHash(stage).slice(0, TAG_LENGTH)}`;
}

function hashIn(text: string): string {
  return text.slice(0, HASH_LENGTH);
}

/**
 * The ids of destinations that failed and have not become Ready since; `remembered` has the earlier failures. Retrying,
 * losing, pinning, pausing or rejecting such a destination does not clear its failure. `isOver`: the rollout is
 * complete or rolled back, so an earlier failure counts only while it is retried.
 */
export function failingOf(
  targets: readonly Target[],
  remembered: readonly string[] = [],
  isOver = false,
): ReadonlySet<string> {
  const known = new Set(remembered.map(hashIn));
  const isBroken = ({ state, isOnce }: Target): boolean =>
    isOver ? state === 'failed' || state === 'updating' : state !== 'ready' && isOnce !== true;
  const isFailing = (target: Target): boolean => {
    if (target.state === 'failed' && target.isReachable) return true;
    return known.size > 0 && isBroken(target) && known.has(shortHash(target.id));
  };
  return new Set(targets.filter(isFailing).map(({ id }) => id));
}

/** The remembered failures whose destinations are gone: they have not become Ready. */
export function goneOf(targets: readonly Target[], remembered: readonly string[] = []): readonly string[] {
  if (remembered.length === 0) return [];
  const present = new Set(targets.map(({ id }) => shortHash(id)));
  return remembered.filter((text) => !present.has(hashIn(text)));
}

/** True if the failure happened in this stage. Failures without a recorded stage belong to the first one. */
export function wasIn(failure: string, { name }: StageSpec, index: number): boolean {
  return failure.length === HASH_LENGTH ? index === 0 : failure.endsWith(tagOf(name));
}

/** Its child was sent to this revision, and is neither Ready nor at an earlier revision. */
function isOnItsWay({ state, isAtPrevious }: Target): boolean {
  return (state === 'updating' || state === 'failed') && !isAtPrevious;
}

/**
 * Finds the stage of each destination. One that failed, or that is being updated, stays in the stage in which that
 * began: a canary must not pass by losing its label. Older versions did not record the stage; it is not guessed.
 */
export function stageFinder(
  stages: readonly StageSpec[],
  failing: ReadonlySet<string>,
  remembered: readonly string[] = [],
): (target: Target) => number {
  const tagged = remembered.filter((text) => text.length > HASH_LENGTH);
  const begunIn = new Map(
    tagged.map((text) => [hashIn(text), stages.findIndex((stage, index) => wasIn(text, stage, index))] as const),
  );
  return (target) => {
    const { id, stage } = target;
    const hasFailed = failing.has(id);
    const before = begunIn.size > 0 && (hasFailed || isOnItsWay(target)) ? begunIn.get(shortHash(id)) : undefined;
    if (before === undefined || before === -1) return stage;
    return hasFailed ? before : Math.min(before, stage);
  };
}

function tagged(ids: readonly string[], tags: ReadonlyMap<string, string>): string[] {
  return ids.map((id) => `${shortHash(id)}${tags.get(id) ?? ''}`);
}

function tagsOf(stages: readonly Members[]): ReadonlyMap<string, string> {
  return new Map(stages.flatMap(({ spec, members }) => members.map(({ id }) => [id, tagOf(spec.name)] as const)));
}

/** The destinations to remember that are being updated, with their stages. */
export function updatingOf(stages: readonly Members[]): { readonly updating?: readonly string[] } {
  const ids = stages.flatMap(({ members }) => members.filter(isOnItsWay).map(({ id }) => id));
  return ids.length === 0 ? {} : { updating: tagged(ids, tagsOf(stages)).sort().slice(0, MAX_REMEMBERED) };
}

/** The stages from which on there are no destinations, the first of which needs an approval: nobody asks for it. */
export function unaskedOf<Stage extends Members>(stages: readonly Stage[]): ReadonlySet<Stage> {
  const end = stages.slice(stages.findLastIndex(({ members }) => members.length > 0) + 1);
  const first = end.findIndex(({ spec }) => spec.approval === true);
  return new Set(first === -1 ? [] : end.slice(first));
}

/** The failures to remember: of present destinations with their stages, and of those that are gone. */
export function rememberedOf(
  failing: ReadonlySet<string>,
  stages: readonly Members[] = [],
): { readonly failing?: readonly string[] } {
  const gone = stages.flatMap((stage) => stage.gone ?? []);
  const all = [...tagged([...failing], tagsOf(stages)), ...gone];
  return all.length === 0 ? {} : { failing: all.sort().slice(0, MAX_REMEMBERED) };
}

/** There are destinations, and none of them takes part. */
export function isIdle(stages: readonly { readonly tally: Tally }[]): boolean {
  return stages.some(({ tally }) => tally.total > 0) && stages.every(({ tally }) => tally.left === tally.total);
}

/** How many of the `total` destinations of a stage a budget allows: of a percentage at least 1, but of `0%` none. */
export function budgetOf(value: CountOrPercentage, total: number): number {
  const least = typeof value === 'string' && isCountOrPercentage(value) && value !== '0%' ? 1 : 0;
  return Math.max(least, countOf(value, total));
}

type Class = Exclude<keyof Tally, 'total' | 'updated' | 'failures' | 'once' | 'aside' | 'gone'>;

const WAITING: readonly Target['state'][] = ['absent', 'outdated'];

/** Counts only destinations that are reachable and take part as ready, updating, failed or waiting. */
export function classOf({ state, isReachable }: Target): Class {
  if (state === 'left' || state === 'rejected') return state;
  if (!isReachable) return 'unreachable';
  return state === 'absent' || state === 'outdated' ? 'waiting' : state;
}

/** States in which a destination takes no part in a rollout. */
const ASIDE: readonly Target['state'][] = ['left', 'rejected'];

/**
 * Counts destinations by state. `failing`: ids of those that failed and have not become Ready since. `gone`: how many
 * others did so and are no longer destinations.
 */
export function tallyOf(
  targets: readonly Target[],
  failing: ReadonlySet<string> = failingOf(targets),
  gone = 0,
): Tally {
  const counts = { ready: 0, updating: 0, failed: 0, unreachable: 0, waiting: 0, left: 0 };
  const tally = { total: 0, ...counts, updated: 0, failures: gone };
  const rare = { rejected: 0, once: 0, aside: gone, gone };
  for (const target of targets) {
    const own = classOf(target);
    const isAside = ASIDE.includes(target.state);
    tally.total += 1;
    if (own === 'rejected') rare.rejected += 1;
    else tally[own] += 1;
    if (target.hasProven === true) rare.once += 1;
    if (!isAside && !WAITING.includes(target.state)) tally.updated += 1;
    if (!failing.has(target.id)) continue;
    tally.failures += 1;
    if (isAside) rare.aside += 1;
  }
  return { ...tally, ...pickBy(rare, (count) => count > 0) };
}

/** Some failed, and no other one shows, or may still show, that the revision works. */
export function hasOnlyFailures({ failures, aside = 0, ready, waiting, failed, updating }: Tally): boolean {
  return failures > 0 && ready + waiting === 0 && failures - aside >= failed + updating;
}

/**
 * More destinations failed, and did not become Ready since, than the stage may lose: whatever its budget is, not all of
 * them, or a canary on its own would prove nothing.
 */
export function exceedsFailures(tally: Tally, { failureBudget = 0, onFailure }: RolloutSpec): boolean {
  if (onFailure === 'Continue') return false;
  return hasOnlyFailures(tally) || tally.failures > budgetOf(failureBudget, tally.total + (tally.gone ?? 0));
}

/**
 * Why a stage does not get by without its unreachable destinations; undefined if it does. By default all but one may
 * be unreachable: a stage that nothing was seen of has proven nothing.
 */
export function unreachableProblem(tally: Tally, { unreachableBudget }: RolloutSpec): string | undefined {
  const { total, unreachable, left, rejected = 0 } = tally;
  const count = `${unreachable} of ${total} destinations are unreachable`;
  if (unreachableBudget === undefined)
    return unreachable > 0 && unreachable + left + rejected === total
      ? `${count}, and no other one shows that the revision works: set unreachableBudget to go on without them`
      : undefined;
  return unreachable > budgetOf(unreachableBudget, total) ? `${count}, more than unreachableBudget allows` : undefined;
}

const IDLE = '(pinned, suspended, paused or installed once before)';

function counted(count: number, one: string, many: string): string {
  return count === 0 ? '' : `${count} ${count === 1 ? one : many}`;
}

/**
 * Why a stage proves nothing: none of its destinations tried the revision. Undefined if one tried it, or all were
 * installed once with it.
 */
export function unprovenProblem(tally: Tally, { onFailure }: RolloutSpec): string | undefined {
  const { total, unreachable, left, rejected = 0, once = 0, failures } = tally;
  const idle = left - once;
  if (rejected + idle === 0 || unreachable + left + rejected < total) return undefined;
  if (onFailure === 'Continue' && failures > 0) return undefined;
  const parts = [
    counted(rejected, 'is rejected', 'are rejected'),
    counted(idle, `takes no part ${IDLE}`, `take no part ${IDLE}`),
    counted(unreachable, 'is unreachable', 'are unreachable'),
  ];
  return `of ${total} destinations, ${parts.filter((part) => part !== '').join(', ')}`;
}

/**
 * True if all updates of a stage are done, its budgets hold, and one destination showed that the revision works.
 * `isWaived`: the stage does not need that proof.
 */
export function isSettled(tally: Tally, spec: RolloutSpec, isWaived = false): boolean {
  const { waiting, updating } = tally;
  if (waiting > 0 || updating > 0 || exceedsFailures(tally, spec)) return false;
  if (unreachableProblem(tally, spec) !== undefined) return false;
  return isWaived || unprovenProblem(tally, spec) === undefined;
}

/** It is on its way to the previous revision. */
function isGoingBack({ state, isAtPrevious, isAvailable, isFailed }: Target): boolean {
  return state === 'outdated' && isAtPrevious && !isAvailable && !isFailed;
}

/** The places of a stage: for destinations in flight, and for unavailable ones. */
export class Places {
  readonly #concurrent: number;
  readonly #unavailable: number;
  #inFlight: number;
  #down: number;

  /** With `isBack`, those in flight to the previous revision count as well. */
  constructor(stage: StageSpec, members: readonly Target[], isBack = false) {
    const limit = (value: CountOrPercentage | undefined): number =>
      value === undefined ? Number.POSITIVE_INFINITY : budgetOf(value, members.length);
    this.#concurrent = limit(stage.maxConcurrent);
    this.#unavailable = limit(stage.maxUnavailable);
    const active = members.filter(({ state, isReachable }) => !ASIDE.includes(state) && isReachable);
    this.#inFlight = active.filter((each) => each.state === 'updating' || (isBack && isGoingBack(each))).length;
    this.#down = active.filter(({ state, isAvailable }) => state !== 'absent' && !isAvailable).length;
  }

  /**
   * Takes the places that it needs to send a destination to another revision, or says which budget has none: one in
   * flight needs no other place for that, and one that is unavailable already none for being so.
   */
  take({ state, isAvailable }: Target): string | undefined {
    const flies = state === 'updating' ? 0 : 1;
    const falls = state === 'absent' || isAvailable ? 1 : 0;
    if (this.#inFlight + flies > this.#concurrent && flies > 0)
      return `maxConcurrent allows ${this.#concurrent} at a time`;
    if (this.#down + falls > this.#unavailable && falls > 0)
      return `maxUnavailable allows ${this.#unavailable} to be unavailable`;
    this.#inFlight += flies;
    this.#down += falls;
    return undefined;
  }
}

/** The order of starting: what failed and what is unavailable first, then by id. */
export function byUrgency(a: Target, b: Target): number {
  const rank = ({ state, isAvailable, isFailed }: Target): number => {
    if (isFailed) return 0;
    return state !== 'absent' && !isAvailable ? 1 : 2;
  };
  return rank(a) - rank(b) || (a.id < b.id ? -1 : 1);
}
