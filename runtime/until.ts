import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { CancelledError } from '#lib/errors.js';

/** Sleeps; rejects with CancelledError (`message`) as soon as the signal aborts. */
export async function sleep(milliseconds: number, signal?: AbortSignal, message?: string): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error: unknown) {
    throw new CancelledError(message, { cause: error });
  }
}

/** Between two parts of a long computation: lets others have the thread. Throws a CancelledError if it is aborted. */
export async function pause(signal: AbortSignal): Promise<void> {
  await turn();
  if (signal.aborted) throw new CancelledError();
}

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
