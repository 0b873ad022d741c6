import { fateText, type Leaving } from './model/clusters/leaving.js';

type Fate = Pick<Leaving, 'child' | 'to'>;

/**
 * How long children have been about to leave or move, by Application. Kept only in memory: after a restart the time
 * starts at 0, so nothing is removed too early.
 */
export class Unmatched {
  readonly #since = new Map<string, ReadonlyMap<string, number>>();

  /** Since when the last passes found the fates of an Application, by `fateText`, in epoch milliseconds. */
  since(application: string): ReadonlyMap<string, number> {
    return this.#since.get(application) ?? new Map<string, number>();
  }

  /** Stores the fates that a pass found; those that it did not find again are forgotten. */
  remember(application: string, fates: readonly Fate[], nowMs: number): void {
    const before = this.since(application);
    const now = fates.map((fate) => [fateText(fate), before.get(fateText(fate)) ?? nowMs] as const);
    if (now.length === 0) this.forget(application);
    else this.#since.set(application, new Map(now));
  }

  /** All of them count from the next pass again, as for an Application that is gone or not decided about. */
  forget(application: string): void {
    this.#since.delete(application);
  }
}
