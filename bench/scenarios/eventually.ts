import { until } from '#runtime/until.js';

/** A seeded random source in [0, 1), so that a failing scenario can be repeated (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const POLL_MS = 100;
/** What takes a second may take minutes on a slow and busy machine. */
const PATIENCE_MS = 300_000;

/** Calls `check` until it does not throw, and returns what it returned. At the deadline, throws its last error. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = PATIENCE_MS, intervalMs = POLL_MS }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<T> {
  const passed: T[] = [];
  await until(
    async ({ isLast }) => {
      try {
        return passed.push(await check());
      } catch (error: unknown) {
        if (isLast) throw error;
        return false;
      }
    },
    { timeoutMs, intervalMs },
  );
  // The last look passed, or threw.
  return passed[0] as T;
}
