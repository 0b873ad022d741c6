import type { Child } from './model/types.js';

/**
 * Since when children have been without an entry, by Application. Only in memory: a restart begins again, and removes
 * nothing too early.
 */
export class Unmatched {
  readonly #since = new Map<string, ReadonlyMap<string, number>>();

  /** Milliseconds; 0 for a child that had an entry in the last pass. */
  forMs(application: string, { metadata }: Child, nowMs: number): number {
    const since = this.#since.get(application)?.get(metadata.uid ?? '');
    return since === undefined ? 0 : nowMs - since;
  }

  /** Takes the children without an entry of a pass. */
  remember(application: string, children: readonly Child[], nowMs: number): void {
    const before = this.#since.get(application);
    const now = children.map(({ metadata: { uid = '' } }) => [uid, before?.get(uid) ?? nowMs] as const);
    if (now.length === 0) this.forget(application);
    else this.#since.set(application, new Map(now));
  }

  /** All of them count from the next pass again, as for an Application that is gone or not decided about. */
  forget(application: string): void {
    this.#since.delete(application);
  }
}
