export interface RunOptions {
  readonly cwd?: string;
  /** Added to the allow-listed environment (PATH, HOME, TMPDIR, XDG_*, locale). */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds; the whole process group is killed then. */
  readonly timeoutMs: number;
  /** Bytes of stdout that are kept; more is a TerminalError. Default 64 MiB. */
  readonly maxOutputBytes?: number;
  /** Bytes of memory, on Linux, without mapped files; more is a TerminalError. Default 512 MiB. */
  readonly maxMemoryBytes?: number;
  readonly stdin?: string;
  /** How stdout becomes text; default utf8. With latin1, each character is a byte as it was printed. */
  readonly encoding?: 'utf8' | 'latin1';
  readonly signal?: AbortSignal;
}

export interface RunResult {
  /** Exit code; a death by signal is an error instead. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program with an argument array (never a shell). Rejects only when it could not run, timed out or was
 * cancelled.
 */
export type Run = (command: string, args: readonly string[], options: RunOptions) => Promise<RunResult>;
