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
