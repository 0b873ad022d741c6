export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Ends its timeout, and takes it off the signals that it follows; call it when the work is done. */
  readonly unlink: () => void;
}

/**
 * One signal that is aborted with the first of several, and for its reason, or after `timeoutMs`. Unlike AbortSignal.any
 * it leaves nothing behind on those that live long, and its timeout is never collected as garbage.
 */
export function linkSignals(signals: readonly (AbortSignal | undefined)[], timeoutMs?: number): LinkedSignal {
  const controller = new AbortController();
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(), timeoutMs);
  const followed = signals.filter((signal) => signal !== undefined);
  const abort = (): void => controller.abort(followed.find(({ aborted }) => aborted)?.reason);
  if (followed.some(({ aborted }) => aborted)) abort();
  for (const signal of followed) signal.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    unlink: () => {
      clearTimeout(timer);
      for (const signal of followed) signal.removeEventListener('abort', abort);
    },
  };
}

/** Resolves when the signal is aborted; at once when it is already. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** How a process is asked to stop. */
export interface EndSignals {
  /** Nothing new begins; what runs may end. */
  readonly stop: AbortSignal;
  /** What still runs is cancelled. */
  readonly cancel: AbortSignal;
}
