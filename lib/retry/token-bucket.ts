/** Tokens left at a time; both are plain numbers, so that the bucket is a value. */
export interface TokenBucket {
  /** Less than none where tokens were taken in advance. */
  readonly tokens: number;
  /** By the caller's clock: of milliseconds, or of anything else that only grows. */
  readonly at: number;
}

export interface BucketRule {
  /** Tokens that a full bucket holds. */
  readonly burst: number;
  /** How far the clock goes on until one token comes back. */
  readonly refill: number;
}

/** The tokens in `bucket` (undefined: a full one) at time `now`. */
export function tokensAt({ burst, refill }: BucketRule, bucket: TokenBucket | undefined, now: number): number {
  if (bucket === undefined) return burst;
  return Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) / refill);
}

/** Takes one token. Returns the bucket afterwards, and whether there was a token to take. */
export function takeToken(
  rule: BucketRule,
  bucket: TokenBucket | undefined,
  now: number,
): TokenBucket & { taken: boolean } {
  const tokens = tokensAt(rule, bucket, now);
  return tokens >= 1 ? { tokens: tokens - 1, at: now, taken: true } : { tokens, at: now, taken: false };
}
