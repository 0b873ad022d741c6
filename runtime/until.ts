import { sleep } from './sleep.js';

export interface UntilOptions {
  /** From the first look to the last one; Infinity for no limit. */
  readonly timeoutMs: number;
  /** Between two looks. */
  readonly intervalMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Look {
  /** The time is over: there is no look after this one. */
  readonly isLast: boolean;
}

/**
 * Polls until `look` returns a value, and returns it; undefined after the timeout, by the monotonic clock. Throws
 * CancelledError when the signal aborts, and what `look` throws.
 */
export async function until<T>(
  look: (look: Look) => T | false | undefined | Promise<T | false | undefined>,
  { timeoutMs, intervalMs, signal }: UntilOptions,
): Promise<T | undefined> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const leftMs = deadline - performance.now();
    const answer = await look({ isLast: leftMs <= 0 });
    if (answer !== false && answer !== undefined) return answer;
    if (leftMs <= 0) return undefined;
    await sleep(Math.min(intervalMs, Math.max(0, deadline - performance.now())), signal);
  }
}
