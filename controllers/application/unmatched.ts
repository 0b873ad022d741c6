import type { Leaving } from './model/clusters/removal-approval.js';

type Fate = Pick<Leaving, 'child' | 'to'>;

/** Includes the destination of a move: a child that was to move and is now to be deleted starts a new wait. */
function keyOf({ child: { metadata }, to }: Fate): string {
  return `${metadata.uid ?? ''} ${to ?? ''}`;
}

/**
 * How long children have been about to leave or move, by Application. Kept only in memory: after a restart the time
 * starts at 0, so nothing is removed too early.
 */
export class Unmatched {
  readonly #since = new Map<string, ReadonlyMap<string, number>>();

  /** Milliseconds. 0 if the last pass did not find this fate. */
  forMs(application: string, fate: Fate, nowMs: number): number {
    const since = this.#since.get(application)?.get(keyOf(fate));
    return since === undefined ? 0 : nowMs - since;
  }

  /** Stores the fates that a pass found; those that it did not find again are forgotten. */
  remember(application: string, fates: readonly Fate[], nowMs: number): void {
    const before = this.#since.get(application);
    const now = fates.map((fate) => [keyOf(fate), before?.get(keyOf(fate)) ?? nowMs] as const);
    if (now.length === 0) this.forget(application);
    else this.#since.set(application, new Map(now));
  }

  /** All of them count from the next pass again, as for an Application that is gone or not decided about. */
  forget(application: string): void {
    this.#since.delete(application);
  }
}
