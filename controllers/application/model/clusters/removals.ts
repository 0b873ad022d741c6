import type { Application } from '#api/v1alpha1/application.js';
import { NEEDS_APPROVAL } from '#api/v1alpha1/approve-command.js';
import { deletionPolicyOf } from '../deletion.js';
import { countOf, type CountOrPercentage } from '#controllers/runtime/pure/count-or-percentage.js';
import type { Child } from '../types.js';
import { extentOf, holdOf, type Hold, type Leaving } from './removal-approval.js';
import { RemovalWindow, type Counted } from './removal-window.js';

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

/** Children of selectors that release the same, wherever; or those that the change of one template moves. */
export interface Selected {
  readonly leaving: number;
  readonly staying: number;
  /** Those that neither leave nor surely stay: see `RemovalsInput`. */
  readonly undecided: number;
  /** True if a selector of the spec is for them. */
  readonly isWanted: boolean;
  /** True if one of these matches no cluster. */
  readonly isEmptied: boolean;
}

export interface RemovalsInput {
  readonly application: Application;
  readonly leaving: readonly Leaving[];
  /** Number of children of selectors that surely stay. */
  readonly staying: number;
  /** Number of those nothing is decided about now: they run, but do not surely stay. Default: 0. */
  readonly undecided?: number;
  /** The same by what they release. Default: they are all of one entry. */
  readonly selected?: readonly Selected[];
  /** Milliseconds for which a child has been about to leave, or to move to just that. */
  readonly unmatchedForMs: (leaving: Leaving) => number;
  readonly delayMs: number;
  readonly nowMs: number;
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

/** The same of what one entry selects, which others must not hide; and no more than the default limit for it alone. */
function isMostOf(
  { leaving, staying, undecided, isWanted, isEmptied }: Selected,
  { removed, ranBefore }: RemovalWindow,
): boolean {
  if (leaving === 0) return false;
  const isSeveral = leaving + undecided > 1 || (isWanted && Math.max(removed + leaving, ranBefore) > 1);
  if (staying === 0 ? isSeveral : isEmptied && leaving > 1) return true;
  return leaving > allowedRemovals(undefined, leaving + staying);
}

/** The user said that nothing is to be uninstalled, and a move cannot be done otherwise. */
export function movesAnOrphan({ application, leaving }: Pick<RemovalsInput, 'application' | 'leaving'>): boolean {
  return deletionPolicyOf(application) === 'Orphan' && leaving.some(({ to }) => to !== undefined);
}

/**
 * What waited for an approval does not go because fewer leave now, or more stay: a child that is paused or unknown for
 * a moment would release the rest. Only within a limit that the user set do they go, if all that ever waited were.
 */
function isStillHeld({ application, leaving }: RemovalsInput, { removed, ran }: RemovalWindow): boolean {
  const { removals } = application.status ?? {};
  if (removals?.heldSince === undefined) return false;
  const max = application.spec.maxRemovals;
  if (max === undefined) return true;
  const extent = extentOf(removals, leaving, ran);
  return removed + extent.most > allowedRemovals(max, extent.ran);
}

/** Too many need an approval, all of them: without a limit set, so does the last one of several of an entry. */
function isTooMany(input: RemovalsInput, window: RemovalWindow): boolean {
  const max = input.application.spec.maxRemovals;
  if (movesAnOrphan(input) || isStillHeld(input, window)) return true;
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

/**
 * Decides which children of selectors may be removed that no entry matches any more: none of them if they are more than
 * `maxRemovals` in an hour, unless the annotation approves exactly these. Never throws.
 */
export function guardRemovals(input: RemovalsInput): Removals {
  const { application, leaving, staying, undecided = 0, nowMs, delayMs } = input;
  const counted = application.status?.removals?.counted ?? [];
  const window = new RemovalWindow(counted, leaving.length + staying + undecided, nowMs);
  const allowed = allowedRemovals(application.spec.maxRemovals, window.ran);
  const { hold, isApproved } = holdOf(application, leaving, window.ran, nowMs);
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
