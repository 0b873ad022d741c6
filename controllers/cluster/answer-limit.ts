import { CancelledError, TransientError } from '#lib/errors.js';

/** A cluster that is well answers within a second; one that hangs must not hold up the others. */
const LIMIT_MS = 8_000;

/**
 * What `ask` gets from a cluster, if all of it comes in time: a byte a second is no answer either. `ask` ends when its
 * signal is aborted, with a CancelledError.
 */
export async function answerInTime<T>(
  server: string,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    return await ask(AbortSignal.any([signal, limit]));
  } catch (error: unknown) {
    if (!(error instanceof CancelledError) || signal.aborted) throw error;
    const message = `${server} did not answer within ${LIMIT_MS / 1_000} s`;
    throw new TransientError(message, { cause: error });
  }
}
