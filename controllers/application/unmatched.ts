import type { Leaving } from './model/clusters/removal-approval.js';

type Fate = Pick<Leaving, 'child' | 'to'>;

/** A child that was about to move, and is now about to be deleted, has not been so for long. */
function keyOf({ child: { metadata }, to }: Fate): string {
  return `${metadata.uid ?? ''} ${to ?? ''}`;
}

/**
 * Since when children have been about to leave, or to move, by Application. Only in memory: a restart begins again, and
 * removes nothing too early.
 */
export class Unmatched {
  readonly #since = new Map<string, ReadonlyMap<string, number>>();

  /** Milliseconds; 0 for a child to which something else was to happen in the last pass. */
  forMs(application: string, fate: Fate, nowMs: number): number {
    const since = this.#since.get(application)?.get(keyOf(fate));
    return since === undefined ? 0 : nowMs - since;
  }

  /** Takes what a pass found. */
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
