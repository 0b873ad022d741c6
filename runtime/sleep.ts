import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
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
