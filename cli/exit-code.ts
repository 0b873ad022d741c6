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
