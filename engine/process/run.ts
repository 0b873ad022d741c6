import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import pLimit from 'p-limit';
import { CancelledError, TerminalError, TransientError } from '#lib/errors.js';
import { defined } from '#lib/plain.js';
import { cut } from '#lib/text/text.js';

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

const REFUSED = 1;
/** Characters of what Go says of a crash: stacks follow. */
const MOST_OF_CRASH = 2_000;

/**
 * The output of helm or kustomize, or why it rejects its input, in the words of `problemOf`: they exit with 1 then. Any
 * other exit code is from Go's runtime, which had too little memory or too few threads, and is not about the input: that
 * is a TransientError `ProcessFailed`, which is retried.
 */
export function outputOrRefusal(
  command: string,
  { code, stdout, stderr }: RunResult,
  problemOf: (stderr: string) => string,
): { readonly output: string } | { readonly problem: string } {
  if (code === 0) return { output: stdout };
  if (code === REFUSED) return { problem: problemOf(stderr) };
  throw new TransientError(`${command} crashed with exit code ${code}: ${cut(problemOf(stderr), MOST_OF_CRASH)}`, {
    reason: 'ProcessFailed',
  });
}

/** Runs at most `atOnce` programs at the same time, so that their total memory is bounded; others wait for their turn. */
export function limitedRun(run: Run, atOnce: number): Run {
  const limit = pLimit(atOnce);
  return (command, args, options) => limit(() => run(command, args, options));
}

/** No garbage collection below the limit: the process is short-lived. No configuration of the user applies. */
export function helmEnvironment(folder: string): Record<string, string> {
  const homes = { HOME: folder, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  return { GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: '192MiB', ...homes };
}

const DEFAULT_MAX_OUTPUT = 64 * 1024 * 1024;
/** A chart with a line like `repeat 1000000000` must not use up the memory of all. */
const DEFAULT_MAX_MEMORY = 512 * 1024 * 1024;
const MEMORY_POLL_MS = 50;
/** stderr is for messages: the last lines say what went wrong. */
const MAX_STDERR = 256 * 1024;
/** Nothing else of our environment is passed to a child: it may contain credentials. */
const INHERITED = /^(PATH|HOME|TMPDIR|TZ|LANG|LC_[A-Z]+|XDG_[A-Z_]+)$/;

function childEnvironment(extra: RunOptions['env']): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (pair): pair is [string, string] => INHERITED.test(pair[0]) && pair[1] !== undefined,
  );
  return { ...Object.fromEntries(inherited), ...extra };
}

/** Kills the child and everything that it started; harmless if they have ended. */
function killGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Memory of a process in bytes, without the files that it has mapped, which the system takes back when it needs to; 0
 * when it has ended, and where there is no /proc.
 */
function residentBytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid ?? 0}/status`, 'utf8');
    const found = /^RssAnon:\s*(\d+) kB/m.exec(status) ?? /^VmRSS:\s*(\d+) kB/m.exec(status);
    return Number(found?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Runs one child to its end; the first failure wins and ends the process group. */
class Child {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #command: string;
  readonly #options: RunOptions;
  readonly #stdout: Buffer[] = [];
  #stdoutBytes = 0;
  #stderr = Buffer.alloc(0);
  #isStderrCut = false;
  #failure: Error | undefined;

  constructor(command: string, args: readonly string[], options: RunOptions) {
    this.#command = command;
    this.#options = options;
    // A group of its own, so that a timeout also ends what the child started.
    this.#child = spawn(command, [...args], {
      ...defined({ cwd: options.cwd }),
      env: childEnvironment(options.env),
      detached: true,
      shell: false,
      stdio: 'pipe',
    });
  }

  async finish(): Promise<RunResult> {
    const { timeoutMs, signal } = this.#options;
    const timer = setTimeout(() => this.#fail(this.#timeout()), timeoutMs);
    const memory = setInterval(() => this.#weigh(), MEMORY_POLL_MS);
    const cancel = (): void => this.#fail(new CancelledError(`${this.#command}: cancelled`));
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      this.#connect();
      return await this.#closed();
    } finally {
      clearTimeout(timer);
      clearInterval(memory);
      signal?.removeEventListener('abort', cancel);
    }
  }

  #connect(): void {
    this.#child.stdout.on('data', (chunk: Buffer) => this.#keep(chunk));
    this.#child.stderr.on('data', (chunk: Buffer) => {
      const all = Buffer.concat([this.#stderr, chunk]);
      this.#isStderrCut ||= all.length > MAX_STDERR;
      this.#stderr = all.subarray(-MAX_STDERR);
    });
    // A child that ends without reading its input is not an error.
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdin.end(this.#options.stdin ?? '');
    // Processes that the child left behind could keep its pipes open, and us waiting.
    this.#child.on('exit', () => killGroup(this.#child));
  }

  #closed(): Promise<RunResult> {
    return new Promise((resolve, reject) => {
      this.#child.on('error', (cause) => reject(this.#failure ?? this.#notStarted(cause)));
      this.#child.on('close', (code, signal) => {
        if (this.#failure !== undefined) reject(this.#failure);
        else if (code === null) reject(this.#killed(signal));
        else resolve({ code, stdout: this.#output(), stderr: this.#messages() });
      });
    });
  }

  #output(): string {
    return Buffer.concat(this.#stdout).toString(this.#options.encoding ?? 'utf8');
  }

  /** Whole lines: who masks secrets in them finds no half of one. */
  #messages(): string {
    const text = this.#stderr.toString();
    if (!this.#isStderrCut) return text;
    return text.includes('\n') ? text.slice(text.indexOf('\n') + 1) : '';
  }

  #keep(chunk: Buffer): void {
    const limit = this.#options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT;
    this.#stdoutBytes += chunk.length;
    if (this.#stdoutBytes <= limit) this.#stdout.push(chunk);
    else this.#fail(new TerminalError('OutputTooLarge', `${this.#command} printed more than ${limit} bytes`));
  }

  #weigh(): void {
    const limit = this.#options.maxMemoryBytes ?? DEFAULT_MAX_MEMORY;
    if (residentBytes(this.#child.pid) <= limit) return;
    this.#fail(new TerminalError('MemoryExceeded', `${this.#command} took more than ${limit} bytes of memory`));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    killGroup(this.#child);
  }

  #notStarted(cause: Error): Error {
    return new TransientError(`cannot run ${this.#command}: ${cause.message}`, { cause, reason: 'ProcessFailed' });
  }

  #timeout(): Error {
    return new TransientError(`${this.#command} was killed: it ran longer than ${this.#options.timeoutMs} ms`, {
      reason: 'ProcessTimeout',
    });
  }

  #killed(signal: NodeJS.Signals | null): Error {
    return new TransientError(`${this.#command} was killed by ${signal ?? 'a signal'}`, { reason: 'ProcessFailed' });
  }
}

/**
 * Runs a program with an argument array, never a shell, in a process group of its own.
 * Errors: TransientError `ProcessFailed` | `ProcessTimeout`, TerminalError `OutputTooLarge` | `MemoryExceeded`,
 * CancelledError.
 * Messages name the program, never its arguments.
 */
export const run: Run = async (command, args, options) => {
  if (options.signal?.aborted === true) throw new CancelledError(`${command}: cancelled`);
  return new Child(command, args, options).finish();
};
