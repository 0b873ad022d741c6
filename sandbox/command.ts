import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';

const KEPT_OUTPUT = 4_000;

export interface CommandOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
  /** Written to stdin, which is empty otherwise. */
  input?: string;
  onStart?: (pid: number) => void;
  /** Asked for each line of stderr; those that only show progress are no part of an error. */
  isProgress?: (line: string) => boolean;
}

/** A command that could not be started or did not exit with 0; `output` is the end of what it wrote to stderr. */
class CommandError extends Error {
  readonly output: string;

  constructor(message: string, output: string, options?: ErrorOptions) {
    super(output === '' ? message : `${message}: ${output}`, options);
    this.name = 'CommandError';
    this.output = output;
  }
}

/** Ends the program with the signal, and with this process. Returns how to let go of it. */
function endWith(child: ChildProcess, signal: AbortSignal | undefined): () => void {
  // As Ctrl-C would do: go build then starts no further compiler.
  const interrupt = (): boolean => child.kill('SIGINT');
  signal?.addEventListener('abort', interrupt);
  process.once('exit', interrupt);
  return () => {
    signal?.removeEventListener('abort', interrupt);
    process.removeListener('exit', interrupt);
  };
}

/** What went wrong with the whole run, in words; undefined after exit code 0. */
async function failureOf(child: ChildProcess, program: string): Promise<string | undefined> {
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (signal !== null) return `was killed by ${signal}`;
    return code === 0 ? undefined : `exited with ${code ?? -1}`;
  } catch (cause: unknown) {
    throw new CommandError(`cannot run ${program}`, cause instanceof Error ? cause.message : '', { cause });
  }
}

function start(program: string, args: readonly string[], options: CommandOptions): ChildProcessWithoutNullStreams {
  const { cwd, env, input = '' } = options;
  const child = spawn(program, args, { cwd, env });
  // A program that ends before it has read its input is judged by its exit code.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  if (child.pid !== undefined) options.onStart?.(child.pid);
  return child;
}

/** Collects the end of what a program complains about, line by line. */
function complaints(isProgress: (line: string) => boolean): { add: (text: string) => void; end: () => string } {
  let kept = '';
  let rest = '';
  return {
    add: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      kept = [kept, ...lines.filter((line) => !isProgress(line)).map((line) => `${line}\n`)]
        .join('')
        .slice(-KEPT_OUTPUT);
    },
    end: () => (kept + rest).slice(-KEPT_OUTPUT).trim(),
  };
}

/** Runs a program to its end and returns what it wrote to stdout. Throws CommandError, or the reason of `signal`. */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  options.signal?.throwIfAborted();
  const child = start(program, args, options);
  const release = endWith(child, options.signal);
  const { add, end } = complaints(options.isProgress ?? (() => false));
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', add);
  try {
    const failure = await failureOf(child, program);
    options.signal?.throwIfAborted();
    if (failure === undefined) return stdout;
    throw new CommandError(`${program} ${args[0] ?? ''} ${failure}`, end());
  } finally {
    release();
  }
}
