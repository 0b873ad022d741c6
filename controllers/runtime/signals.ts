export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Takes it off the signals that it follows; call it when the work is done. */
  readonly unlink: () => void;
}

/**
 * One signal that is aborted with the first of several, and for its reason. Unlike AbortSignal.any it leaves nothing
 * behind on those that live long.
 */
export function linkSignals(signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const followed = signals.filter((signal) => signal !== undefined);
  const abort = (): void => controller.abort(followed.find(({ aborted }) => aborted)?.reason);
  if (followed.some(({ aborted }) => aborted)) abort();
  for (const signal of followed) signal.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    unlink: () => {
      for (const signal of followed) signal.removeEventListener('abort', abort);
    },
  };
}

/** Resolves when the signal is aborted; at once when it is already. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
