import { setMaxListeners } from 'node:events';

/** The line that reports an error: its message, and its cause if the message does not name it. */
export function errorLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const parts = [error.message];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    const { message } = cause;
    if (!parts.some((part) => part.includes(message))) parts.push(message);
  }
  return parts.filter((part) => part !== '').join(': ') || error.name;
}

/** An end of the program that scripts tell from others by its exit code; documented in `docs/cli.md`. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExitError';
    this.exitCode = exitCode;
  }
}

/** As timeout(1). */
export const EXIT_TIMEOUT = 124;
/** As a shell reports SIGINT. */
export const EXIT_INTERRUPTED = 130;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const SAME_SIGNAL_MS = 1_000;

/** Aborted by the first signal that asks this process to end. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  // As many waits as there are CRDs listen at the same time.
  // Not 0, which means the same: with it, undici's fetch throws for the signal in Node 20.
  setMaxListeners(Infinity, controller.signal);
  for (const name of [...SIGNALS, 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(new Error(`interrupted by ${name}`)));
  }
  return controller.signal;
}

/** Rejects when the user wants the command to end. */
export function interrupted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(new ExitError('interrupted', EXIT_INTERRUPTED));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
}

/** Calls back on a signal, but not on one that npm passes on a second time. Returns how to stop that. */
export function onNextSignal(callBack: () => void): () => void {
  const sinceMs = performance.now();
  const handle = (): void => {
    if (performance.now() - sinceMs > SAME_SIGNAL_MS) callBack();
  };
  for (const name of SIGNALS) process.on(name, handle);
  return () => {
    for (const name of SIGNALS) process.removeListener(name, handle);
  };
}
