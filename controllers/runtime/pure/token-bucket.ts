/** Tokens left at a time; both are plain numbers, so that the bucket is a value. */
export interface TokenBucket {
  readonly tokens: number;
  /** Milliseconds of the caller's clock. */
  readonly at: number;
}

export interface BucketRule {
  /** Tokens that a full bucket holds. */
  readonly burst: number;
  /** Milliseconds until one token comes back. */
  readonly refillMs: number;
}

/**
 * Takes one token of `bucket` (undefined: a full one) at time `now`. Returns the bucket afterwards, and whether there
 * was a token to take.
 */
export function takeToken(
  rule: BucketRule,
  bucket: TokenBucket | undefined,
  now: number,
): TokenBucket & { taken: boolean } {
  const regained = bucket === undefined ? rule.burst : bucket.tokens + Math.max(0, now - bucket.at) / rule.refillMs;
  const tokens = Math.min(rule.burst, regained);
  return tokens >= 1 ? { tokens: tokens - 1, at: now, taken: true } : { tokens, at: now, taken: false };
}
