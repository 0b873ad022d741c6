import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { NEEDS_APPROVAL } from '#api/v1alpha1/approve-command.js';
import { parseTimestamp, timestamp } from '#lib/kube/conditions.js';
import { countOf, type CountOrPercentage } from '#lib/kube/count-or-percentage.js';
import type { Child } from '../child/types.js';
import { extentOf, type Hold, holdOf, isReinstall, type Leaving } from './leaving.js';

/** Removals count for so long at least, or many small ones would remove a fleet. */
const WINDOW_MS = 3_600_000;
/** Those within so long of the clock are counted as one, until the last of them may not count any more. */
const SLOT_MS = 300_000;
/** More than slots are in an hour: a clock that goes back can make more. */
const MOST_SLOTS = 20;

/** Removals as the status has them. */
export type Counted = NonNullable<NonNullable<ApplicationStatus['removals']>['counted']>[number];

function endOf({ until }: Counted): number {
  return parseTimestamp(until) ?? Number.NEGATIVE_INFINITY;
}

/** Removals without an approval, as of one moment: in no span of an hour are they more than `removed` ever was. */
export class RemovalWindow {
  readonly #live: readonly Counted[];
  readonly #running: number;
  readonly #nowMs: number;
  readonly #leftMs: (each: Counted) => number;
  /** Number of removals that count. */
  readonly removed: number;
  /** Children of selectors that ran before the first one of them; without any, those that run now. */
  readonly ran: number;
  /** The most that ran when removals were counted last, however long ago. */
  readonly ranBefore: number;

  /** `running`: children of selectors now. `least`: milliseconds for which removals count at least, by their `until`. */
  constructor(
    counted: readonly Counted[],
    running: number,
    nowMs: number,
    least: ReadonlyMap<string, number> = new Map<string, number>(),
  ) {
    this.#leftMs = (each) => Math.max(endOf(each) - nowMs, least.get(each.until) ?? 0);
    this.#live = counted.filter((each) => this.#leftMs(each) > 0);
    this.#running = running;
    this.#nowMs = nowMs;
    this.removed = this.#live.reduce((sum, { removed }) => sum + removed, 0);
    this.ran = this.#live[0]?.ran ?? running;
    this.ranBefore = Math.max(0, ...counted.map(({ ran }) => ran));
  }

  /** Milliseconds until fewer removals count; undefined if none does. */
  get fewerAfterMs(): number | undefined {
    return this.#live.length === 0 ? undefined : Math.min(...this.#live.map(this.#leftMs));
  }

  /** With so many removals now. */
  after(removed: number): Counted[] {
    const until = timestamp((Math.floor(this.#nowMs / SLOT_MS) + 1) * SLOT_MS + WINDOW_MS);
    const last = this.#live.at(-1);
    if (last === undefined) return [{ until, ran: this.#running, removed }];
    if (last.until !== until && this.#live.length < MOST_SLOTS) {
      return [...this.#live, { until, ran: this.#running, removed }];
    }
    const later = last.until > until ? last.until : until;
    return [...this.#live.slice(0, -1), { until: later, ran: last.ran, removed: last.removed + removed }];
  }

  /** With so many approved removals now: they do not count, and the children are no base of a percentage any more. */
  afterApproved(removed: number): Counted[] {
    const left = this.#running - removed;
    return this.after(0).map((each) => ({ ...each, ran: Math.min(each.ran, left) }));
  }
}

/** A cluster must be unmatched for so long: a label that flaps removes nothing. */
export const REMOVAL_DELAY_MS = 30_000;
/** While no `maxRemovals` is set: the larger one of the two. */
const DEFAULT_COUNT = 10;
const DEFAULT_PERCENTAGE = '20%';

/** How many of `ran` children may be removed without an approval. A percentage is rounded down. */
export function allowedRemovals(max: CountOrPercentage | undefined, ran: number): number {
  return max === undefined ? Math.max(DEFAULT_COUNT, countOf(DEFAULT_PERCENTAGE, ran)) : countOf(max, ran);
}

/** What is written to the status before removals. */
export interface Count {
  readonly counted: Counted[];
  /** The children whose removal is approved, if any is. */
  readonly approved?: string[];
}

/** Counts of the children whose selectors release the same thing, or of those of one entry. */
export interface Selected {
  readonly leaving: number;
  /** True if one of them is uninstalled. */
  readonly uninstalls: boolean;
  readonly staying: number;
  /** Children that neither leave nor certainly stay: see `RemovalsInput`. */
  readonly undecided: number;
  /** True if a selector of the spec releases this. */
  readonly isWanted: boolean;
  /** True if such a selector matches no cluster. */
  readonly isEmptied: boolean;
}

export interface RemovalsInput {
  readonly application: Application;
  readonly leaving: readonly Leaving[];
  /** Number of children of selectors that certainly stay. */
  readonly staying: number;
  /** Number of children that run, but do not certainly stay: nothing is decided about them now. Default: 0. */
  readonly undecided?: number;
  /** The same counts by what the selectors release. Default: all children belong to one entry. */
  readonly selected?: readonly Selected[];
  /** Milliseconds for which a child has been about to leave, or about to make this same move. */
  readonly unmatchedForMs: (leaving: Leaving) => number;
  /** Children that may still leave, as nothing is decided about them now. Default: none. */
  readonly open?: readonly Child[];
  readonly delayMs: number;
  readonly nowMs: number;
  /** See `World`. Default: none. */
  readonly countedLeftMs?: ReadonlyMap<string, number>;
}

export interface Removals {
  /** Why a child is not removed now. */
  readonly held: ReadonlyMap<Child, string>;
  /** Of removals that need an approval, or have it; undefined if none is needed. */
  readonly hold: Hold | undefined;
  /** True if they need an approval, and lack it. */
  readonly isHeld: boolean;
  /** How many may be removed at a time. */
  readonly allowed: number;
  /** The count after so many removals. */
  readonly countAfter: (removals: number) => Count;
  /** Milliseconds until the next one may be removed, without an approval. */
  readonly retryAfterMs: number | undefined;
}

/** True if none of several would stay: of those that ran in this hour, or when removals were counted last. */
function isLastOfSeveral({ leaving, staying, undecided = 0 }: RemovalsInput, window: RemovalWindow): boolean {
  return staying === 0 && Math.max(window.removed + leaving.length + undecided, window.ranBefore) > 1;
}

/**
 * Applies the limits to what one selector releases, so that children of other selectors do not hide the loss: not the
 * last of a selector, not more than stay, and not more than the default limit.
 */
function isMostOf(
  { leaving, staying, undecided, isWanted, isEmptied, uninstalls }: Selected,
  { removed, ranBefore }: RemovalWindow,
): boolean {
  if (leaving === 0) return false;
  const isLast = isWanted && (uninstalls || Math.max(removed + leaving, ranBefore) > 1);
  if (staying === 0) return leaving + undecided > 1 || isLast;
  if (isEmptied && (uninstalls || leaving > 1)) return true;
  return leaving > staying || leaving > allowedRemovals(undefined, leaving + staying);
}

/**
 * Removals that waited for an approval stay held even if fewer children leave now: others may only be paused or unknown
 * for a moment. They are released if the user set `maxRemovals`, and the largest number that ever waited is within it.
 */
function isStillHeld({ application, leaving, open = [] }: RemovalsInput, { removed, ran }: RemovalWindow): boolean {
  const { removals } = application.status ?? {};
  if (removals?.heldSince === undefined) return false;
  const max = application.spec.maxRemovals;
  if (max === undefined) return true;
  const extent = extentOf(removals, { leaving, open, running: ran });
  return removed + extent.most > allowedRemovals(max, extent.ran);
}

/** True if all removals need an approval. What is reinstalled always does, whatever the limit of the user is. */
function isTooMany(input: RemovalsInput, window: RemovalWindow): boolean {
  const max = input.application.spec.maxRemovals;
  if (input.leaving.some(isReinstall) || isStillHeld(input, window)) return true;
  if (max === undefined) {
    if (isLastOfSeveral(input, window)) return true;
    if (input.selected?.some((each) => isMostOf(each, window)) === true) return true;
  }
  return window.removed + input.leaving.length > allowedRemovals(max, window.ran);
}

/** The children that must still be unmatched for a while, each with the milliseconds. */
function settling({ leaving, unmatchedForMs, delayMs }: RemovalsInput): Map<Child, number> {
  const left = leaving.map((each) => [each.child, delayMs - unmatchedForMs(each)] as const);
  return new Map(left.filter(([, ms]) => ms > 0));
}

function windowOf({
  application,
  leaving,
  staying,
  undecided = 0,
  nowMs,
  countedLeftMs,
}: RemovalsInput): RemovalWindow {
  const running = leaving.length + staying + undecided;
  return new RemovalWindow(application.status?.removals?.counted ?? [], running, nowMs, countedLeftMs);
}

/**
 * Decides which children of selectors may be removed that no entry matches any more: none of them if they are more than
 * `maxRemovals` in an hour, unless the annotation approves exactly these. Never throws.
 */
export function guardRemovals(input: RemovalsInput): Removals {
  const { application, leaving, open: others = [], nowMs, delayMs } = input;
  const window = windowOf(input);
  const allowed = allowedRemovals(application.spec.maxRemovals, window.ran);
  const { hold, isApproved } = holdOf(application, { leaving, open: others, running: window.ran }, nowMs);
  if (leaving.length > 0 && isApproved) {
    const { approved = [] } = hold;
    const countAfter = (removals: number): Count => ({ counted: window.afterApproved(removals), approved });
    return { held: new Map(), hold, isHeld: false, allowed, countAfter, retryAfterMs: undefined };
  }
  const countAfter = (removals: number): Count => ({ counted: window.after(removals) });
  if (leaving.length > 0 && isTooMany(input, window)) {
    const held = new Map(leaving.map(({ child, why }) => [child, `because ${why}, and ${NEEDS_APPROVAL}`]));
    return { held, hold, isHeld: true, allowed, countAfter, retryAfterMs: window.fewerAfterMs };
  }
  const open = settling(input);
  const after = `after ${delayMs / 1_000} s`;
  const held = new Map(
    leaving
      .filter(({ child }) => open.has(child))
      .map(({ child, to, why }) => [
        child,
        to === undefined
          ? `because an entry was for it until just now: it is removed ${after}`
          : `because ${why}, which begins ${after}`,
      ]),
  );
  const retryAfterMs = open.size === 0 ? undefined : Math.min(...open.values());
  return { held, hold: undefined, isHeld: false, allowed, countAfter, retryAfterMs };
}
