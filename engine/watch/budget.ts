import { tokensAt, type TokenBucket } from '#lib/token-bucket.js';

/** Changes of one owner's objects within this time are reported once. */
const GAP_MS = 200;
/** Two writers that undo each other must not keep both clusters busy: a burst, then one per period. */
const RULE = { burst: 20, refill: 30_000 };

/** What is left of an owner's budget, as of a time in monotonic milliseconds. */
export interface Budget extends TokenBucket {
  /** When the last one was or will be reported. */
  readonly lastAt: number;
}

/** When to report the next change of an owner, and the budget after it. Never before `nowMs`. */
export function spend(budget: Budget | undefined, nowMs: number): { readonly dueAt: number; readonly budget: Budget } {
  const tokens = tokensAt(RULE, budget, nowMs);
  const closeTo = (budget?.lastAt ?? -Infinity) + GAP_MS;
  const dueAt = Math.max(nowMs, closeTo, nowMs + (1 - tokens) * RULE.refill);
  return { dueAt, budget: { tokens: tokens - 1, at: nowMs, lastAt: dueAt } };
}
