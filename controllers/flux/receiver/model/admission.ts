import { createLru, type Lru } from '#controllers/runtime/pure/lru.js';
import { takeToken, type TokenBucket } from '#controllers/runtime/pure/token-bucket.js';

/** How long a signed webhook is not accepted a second time, in milliseconds. */
export const REPLAY_WINDOW_MS = 600_000;
/** A minute of one webhook per second, after as many at once. */
export const RATE = { burst: 60, refill: 1_000 } as const;
const REPLAYS_REMEMBERED = 50_000;
const RATES_REMEMBERED = 10_000;

/** What becomes of an authentic webhook. */
export type Admission = 'accepted' | 'replay' | 'too many';

/** What is remembered of a webhook. */
export interface Admitted {
  /** The Receiver. */
  readonly key: string;
  /** Equal for replays; undefined if there are none. */
  readonly content: string | undefined;
}

/** Remembers which webhooks came, within bounds. Milliseconds are the caller's, and only grow. */
export class Admissions {
  readonly #seen: Lru<number> = createLru(REPLAYS_REMEMBERED);
  readonly #rates: Lru<TokenBucket> = createLru(RATES_REMEMBERED);

  /** A replay takes nothing of the rate. */
  admit({ key, content }: Admitted, now: number): Admission {
    const seenAt = content === undefined ? undefined : this.#seen.get(`${key} ${content}`);
    if (seenAt !== undefined && now - seenAt < REPLAY_WINDOW_MS) return 'replay';
    const { taken, ...bucket } = takeToken(RATE, this.#rates.get(key), now);
    this.#rates.set(key, bucket);
    if (!taken) return 'too many';
    if (content !== undefined) this.#seen.set(`${key} ${content}`, now);
    return 'accepted';
  }

  /** The webhook had no effect: it may come again. */
  forget({ key, content }: Admitted): void {
    if (content !== undefined) this.#seen.set(`${key} ${content}`, Number.NEGATIVE_INFINITY);
  }
}
