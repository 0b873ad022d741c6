import { createLru, type Lru } from '#lib/lru.js';
import { takeToken, type BucketRule, type TokenBucket } from '#lib/retry/token-bucket.js';

/** How long a signed webhook is not accepted a second time, in milliseconds. */
export const REPLAY_WINDOW_MS = 600_000;
/** Of a Receiver: a minute of one webhook per second, after as many at once. */
export const RATE = { burst: 60, refill: 1_000 } as const;
/** Of all Receivers of a namespace together. */
export const NAMESPACE_RATE = { burst: 300, refill: 200 } as const;
/** How often a Receiver's senders are said to be wrong. */
const COMPLAINTS = { burst: 1, refill: 60_000 } as const;
const REPLAYS_REMEMBERED = 50_000;
const RATES_REMEMBERED = 10_000;

/** What becomes of an authentic webhook. */
export type Admission = 'accepted' | 'replay' | 'too many';

/** What is remembered of a webhook. */
export interface Admitted {
  /** The Receiver, and its namespace. */
  readonly key: string;
  readonly namespace: string;
  /** Equal for replays; undefined if there are none. */
  readonly content: string | undefined;
}

/** Remembers which webhooks came, within bounds. Milliseconds are the caller's, and only grow. */
export class Admissions {
  readonly #seen: Lru<number> = createLru(REPLAYS_REMEMBERED);
  readonly #rates: Lru<TokenBucket> = createLru(RATES_REMEMBERED);
  /** On their own: who is wrong often must not make the rates forgotten. */
  readonly #complaints: Lru<TokenBucket> = createLru(RATES_REMEMBERED);

  /** What is not accepted takes nothing of a rate. */
  admit({ key, namespace, content }: Admitted, now: number): Admission {
    const seenAt = content === undefined ? undefined : this.#seen.get(`${key} ${content}`);
    if (seenAt !== undefined && now - seenAt < REPLAY_WINDOW_MS) return 'replay';
    const rates: [string, BucketRule][] = [
      [key, RATE],
      [namespace, NAMESPACE_RATE],
    ];
    if (!this.#take(rates, now)) return 'too many';
    if (content !== undefined) this.#seen.set(`${key} ${content}`, now);
    return 'accepted';
  }

  /** Whether to log that a webhook for this Receiver is not authentic: anybody who knows the path can send many. */
  mayComplain(key: string, now: number): boolean {
    const { taken, ...bucket } = takeToken(COMPLAINTS, this.#complaints.get(key), now);
    if (taken) this.#complaints.set(key, bucket);
    return taken;
  }

  /** One token of each bucket, or none at all. */
  #take(rates: readonly [string, BucketRule][], now: number): boolean {
    const taken = rates.map(([name, rule]) => ({ name, ...takeToken(rule, this.#rates.get(name), now) }));
    if (!taken.every((each) => each.taken)) return false;
    for (const { name, tokens, at } of taken) this.#rates.set(name, { tokens, at });
    return true;
  }

  /** The webhook had no effect: it may come again. */
  forget({ key, content }: Pick<Admitted, 'key' | 'content'>): void {
    if (content !== undefined) this.#seen.set(`${key} ${content}`, Number.NEGATIVE_INFINITY);
  }
}
