/** What a user reads of an error: its message, and what caused it where the message does not say so already. */
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
