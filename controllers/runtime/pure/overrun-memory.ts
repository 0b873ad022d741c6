import { createLru } from './lru.js';

const MOST_INPUTS = 1_000;
const REMEMBERED_MS = 600_000;
/** The kernel kills what needs more memory than the pod has; fewer times it may have been for another reason. */
const MOST_KILLS = 3;

/** Inputs of tasks that cost too much, by their digests. They are not tried again for ten minutes. */
export class OverrunMemory {
  readonly #now: () => number;
  readonly #overruns = createLru<{ readonly why: string; readonly until: number }>(MOST_INPUTS);
  readonly #kills = createLru<number>(MOST_INPUTS);

  /** `now`: epoch milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Why an input is not tried now; undefined: it is. */
  whyNot(digest: string): string | undefined {
    const known = this.#overruns.get(digest);
    return known !== undefined && known.until > this.#now() ? known.why : undefined;
  }

  cost(digest: string, why: string): void {
    this.#overruns.set(digest, { why, until: this.#now() + REMEMBERED_MS });
  }

  /** Counts that somebody else killed its process. True if that is no accident any more; then it counts from 0 again. */
  isKilledAgain(digest: string): boolean {
    const kills = (this.#kills.get(digest) ?? 0) + 1;
    this.#kills.set(digest, kills % MOST_KILLS);
    return kills === MOST_KILLS;
  }
}
