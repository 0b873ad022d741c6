import { takeToken, type TokenBucket } from './token-bucket.js';
import { TransientError } from '../errors.js';

/** Exponential delays with full upper-half jitter. */
export interface BackoffPolicy {
  /** First delay, in milliseconds. */
  readonly baseMs: number;
  /** No delay is longer. */
  readonly capMs: number;
}

/**
 * Milliseconds to wait before try number `attempt` (0 = first retry): base * 2^attempt, capped, then jittered down by
 * up to half so that many keys that failed together do not come back together. `random` is in [0, 1).
 */
export function backoffDelay(policy: BackoffPolicy, attempt: number, random: number): number {
  const full = Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(attempt, 52));
  return Math.round(full * (1 - random / 2));
}

/** Longest Retry-After that is waited out inside a request; a longer one is the worker's to honour. */
export const MAX_INLINE_WAIT_MS = 10_000;
/** A gateway or the server itself had no answer: whether it acted is not known. */
const NO_ANSWER: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Milliseconds after which the same request may be sent again; undefined: it may not, or must not wait here. As in
 * client-go, what the server asked to have again (429, or 5xx with Retry-After) may be sent whatever it is; without
 * that word only reads are, since a write may have been carried out. `backoffMs` is used when no time was named.
 */
export function inlineWait(error: unknown, method: string, backoffMs: number): number | undefined {
  if (!(error instanceof TransientError) || !mayBeSentAgain(error, method)) return undefined;
  const waitMs = error.retryAfterMs ?? backoffMs;
  return waitMs <= MAX_INLINE_WAIT_MS ? waitMs : undefined;
}

function mayBeSentAgain(error: TransientError, method: string): boolean {
  const code = error.status?.code;
  if (code === undefined) return method === 'GET';
  if (code === 429) return true;
  if (code >= 500 && error.retryAfterMs !== undefined) return true;
  return method === 'GET' && NO_ANSWER.has(code);
}

/** An idle client may make 20 retries in a row; in the long run at most every fifth request is a retry. */
const RULE = { burst: 20, refill: 5 };

/**
 * Limits retries to a share of the requests, so that a server in trouble is not asked several times as often as one in
 * health: a token bucket whose clock counts requests.
 */
export class RetryBudget {
  #requests = 0;
  #bucket: TokenBucket | undefined;

  /** A request that is no retry. */
  deposit(): void {
    this.#requests += 1;
  }

  /** True when a retry may be made now; it is paid then. */
  withdraw(): boolean {
    const { taken, ...bucket } = takeToken(RULE, this.#bucket, this.#requests);
    this.#bucket = bucket;
    return taken;
  }
}
