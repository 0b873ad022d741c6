import { soonest } from '#lib/duration.js';
import { describeChild } from '../child/messages.js';
import { offeredTo, offering } from '../child/metadata.js';
import type { Child } from '../child/types.js';
import { type Step, type Verdict, writtenBy } from '../child/verdicts.js';
import { isTerminating } from '../children/state.js';
import type { Successor } from '../children/successors.js';
import { type Fate, isUntouched, type Leaving, UNWANTED } from './leaving.js';
import { haltedIn, type Halting } from './replaced.js';

/** Not everything is watched that makes another Application take a child over, or want it no longer. */
const OPEN_RETRY_MS = 30_000;

interface HandoversInput {
  /** See `Destination`. */
  readonly successors: ReadonlyMap<Child, Successor>;
  readonly unmatchedForMs: (leaving: Leaving) => number;
  readonly delayMs: number;
}

interface Handover {
  readonly successor: Successor;
  readonly leaving: Leaving;
  /** Milliseconds for which it is not offered yet. */
  readonly waitsMs: number;
}

/** True for a child that would be uninstalled. */
function isUninstalled(child: Child, fate: Fate): boolean {
  return isUntouched(child) && (fate.type === 'unguarded' || (fate.type === 'leaving' && fate.uninstalls));
}

/**
 * Children that no entry matches, and whose releases other Applications specify: nothing is uninstalled for those. Each
 * stays a child of its Application until the other one takes it over, so that somebody always has it.
 */
export class Handovers {
  readonly #handovers: ReadonlyMap<Child, Handover>;

  constructor(fates: ReadonlyMap<Child, Fate>, { successors, unmatchedForMs, delayMs }: HandoversInput) {
    const found = [...fates].flatMap(([child, fate]): [Child, Handover][] => {
      const successor = successors.get(child);
      if (successor === undefined || !isUninstalled(child, fate)) return [];
      const why = fate.type === 'leaving' ? fate.why : UNWANTED;
      const leaving = { child, uninstalls: false, why, successor: successor.uid };
      // That an entry was removed is the user's word, but a label may flap.
      const isGiven = fate.type === 'unguarded' || offeredTo(child) === successor.uid;
      return [[child, { successor, leaving, waitsMs: isGiven ? 0 : delayMs - unmatchedForMs(leaving) }]];
    });
    this.#handovers = new Map(found);
  }

  /** Whether another Application takes the child over, or may. */
  has(child: Child): boolean {
    return this.#handovers.has(child);
  }

  /** Their waiting times are remembered. */
  get leaving(): Leaving[] {
    return [...this.#handovers.values()].map(({ leaving }) => leaving);
  }

  /** Milliseconds until the next reconciliation; undefined: when something changes. */
  get retryAfterMs(): number | undefined {
    const waits = [...this.#handovers.values()].map(({ waitsMs }) => (waitsMs > 0 ? waitsMs : OPEN_RETRY_MS));
    return soonest(waits);
  }

  /** The verdict on a child that another Application takes over; undefined: none does. */
  verdict(child: Child): Verdict | undefined {
    const handover = this.#handovers.get(child);
    if (handover === undefined) return undefined;
    const { successor, waitsMs } = handover;
    const { name, uid, doubt } = successor;
    const hold = 'Removal';
    if (doubt !== undefined) return { do: 'keep', why: `because Application ${name} may want it: ${doubt}`, hold };
    if (waitsMs > 0) return { do: 'keep', why: `because Application ${name} wants it, and takes it over soon`, hold };
    return { do: 'offer', to: uid, why: `until Application ${name}, which wants it, takes it over`, hold };
  }
}

/**
 * Withdraws the offers of children that no other Application may take now, unless something else writes them. What is
 * being deleted stays as it is. Never throws.
 */
export function withdrawalsOf(
  children: readonly Child[],
  steps: readonly Step[],
  halting: readonly Halting[],
): Halting[] {
  const touched = new Set([...writtenBy(steps), ...haltedIn(halting)]);
  return children
    .filter((child) => offeredTo(child) !== undefined && !touched.has(child) && !isTerminating(child))
    .map((live) => ({
      op: 'withdraw',
      live,
      change: offering(undefined),
      message: `${describeChild(live)} is offered to no other Application any more`,
    }));
}
