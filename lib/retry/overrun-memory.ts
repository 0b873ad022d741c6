import { createLru } from '../lru.js';

const MOST_INPUTS = 1_000;
const REMEMBERED_MS = 600_000;
/** Kills after which an input is considered too large for the pod. Fewer kills may have other causes. */
const MOST_KILLS = 3;

/** Digests of inputs whose tasks cost too much. They are refused for ten minutes. */
export class OverrunMemory {
  readonly #now: () => number;
  readonly #overruns = createLru<{ readonly why: string; readonly until: number }>(MOST_INPUTS);
  readonly #kills = createLru<{ readonly count: number; readonly until: number }>(MOST_INPUTS);

  /** `now`: epoch milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Why an input is refused now; undefined: it is not. */
  whyNot(digest: string): string | undefined {
    const known = this.#overruns.get(digest);
    return known !== undefined && known.until > this.#now() ? known.why : undefined;
  }

  cost(digest: string, why: string): void {
    this.#overruns.set(digest, { why, until: this.#now() + REMEMBERED_MS });
  }

  /** Counts a kill by something else than V8 within ten minutes. True at the limit, when the count starts again. */
  isKilledAgain(digest: string): boolean {
    const known = this.#kills.get(digest);
    const count = known !== undefined && known.until > this.#now() ? known.count + 1 : 1;
    this.#kills.set(digest, { count: count % MOST_KILLS, until: this.#now() + REMEMBERED_MS });
    return count === MOST_KILLS;
  }
}
