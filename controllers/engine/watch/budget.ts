/** Changes of one owner's objects that come this close together are told once. */
const GAP_MS = 200;
/** Two writers that undo each other must not keep both clusters busy: so many at once, then one per period. */
const BURST = 20;
const PERIOD_MS = 30_000;

/** What an owner has left, as of a time in monotonic milliseconds. */
export interface Budget {
  readonly tokens: number;
  readonly asOf: number;
  /** When the last one was, or will be, told. */
  readonly lastAt: number;
}

/** When to tell the next change of an owner, and what is left then. Never before `nowMs`. */
export function spend(budget: Budget | undefined, nowMs: number): { readonly dueAt: number; readonly budget: Budget } {
  const { tokens, asOf, lastAt } = budget ?? { tokens: BURST, asOf: nowMs, lastAt: -Infinity };
  const available = Math.min(BURST, tokens + (nowMs - asOf) / PERIOD_MS);
  const dueAt = Math.max(nowMs, lastAt + GAP_MS, nowMs + (1 - available) * PERIOD_MS);
  return { dueAt, budget: { tokens: available - 1, asOf: nowMs, lastAt: dueAt } };
}
