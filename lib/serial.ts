import pLimit, { type LimitFunction } from 'p-limit';

/** Does what has the same key one after the other, in the order in which it was asked for. */
export class Serial {
  readonly #limits = new Map<string, LimitFunction>();

  /** The result of `work`, once all that was asked for before has ended, whether it failed or not. */
  async run<Out>(key: string, work: () => Promise<Out>): Promise<Out> {
    const limit = this.#limits.get(key) ?? pLimit(1);
    this.#limits.set(key, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.#limits.delete(key);
    }
  }
}
