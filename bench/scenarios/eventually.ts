import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;

/** Calls `check` until it does not throw and returns what it returned; at the deadline throws its last error. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 45_000, intervalMs = POLL_MS }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error: unknown) {
      if (Date.now() >= deadline) throw error;
    }
    await delay(intervalMs);
  }
}
