import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { defined } from './pure/defined.js';
import { CancelledError, TransientError } from './pure/errors.js';
import { OverrunMemory } from './pure/overrun-memory.js';

/** A pure function over text that a child process runs, because what users write decides how long it takes. */
export interface Task {
  /** Address of the module that exports the task: `import.meta.url`. */
  readonly module: string;
  /** The name under which it does. */
  readonly name: string;
  /**
   * What the input says to its tenant, where that names files which have other names each time; default: the input
   * itself.
   */
  readonly key?: string;
  /** Milliseconds that it may take. */
  readonly deadlineMs: number;
  /** How many of one tenant may wait, for their inputs take memory; default: any number. */
  readonly mostWaiting?: number;
  /** What it refuses is part of its answer: what it throws is a bug, or the error of a disk, whose `code` is kept. */
  readonly run: (input: string) => string | Promise<string>;
}

/** A text cost more than its task may. The message goes on after its name: "takes longer than 3 s". */
export class OverrunError extends Error {
  override readonly name = 'OverrunError';
}

/**
 * What a task printed as JSON. When it took too long or too much memory, `afterOverrun` says what the answer is, or
 * throws. `parse`: parseJson where a number may be one that a double cannot hold.
 */
export async function answerOf<T>(
  output: Promise<string>,
  afterOverrun: (error: OverrunError) => T,
  parse: (text: string) => unknown = JSON.parse,
): Promise<T> {
  try {
    return parse(await output) as T; // as the task printed it
  } catch (error: unknown) {
    if (error instanceof OverrunError) return afterOverrun(error);
    throw error;
  }
}

export interface Offload {
  /**
   * Runs a task in a child process, one at a time for each tenant, and tenants take turns: a namespace with expensive
   * tasks delays only itself. Throws an OverrunError when it took too long or too much memory, or when V8 ended the
   * process; the same input, or one with the same key, of the same tenant is not tried again for ten minutes. Throws a
   * TransientError when somebody else ended the process.
   */
  run(task: Task, input: string, tenant: string): Promise<string>;
  /** Ends the child processes; what runs or waits is cancelled. */
  close(): Promise<void>;
}

export interface OffloadOptions {
  /** Where the built form of a module is; default: the module itself. */
  readonly locate?: (url: string) => string;
  /** Milliseconds after which a child process without work ends. */
  readonly idleMs?: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** Messages to and from a child process. */
export type Order = Pick<Task, 'module' | 'name'> & { readonly input: string };
export type Report =
  { readonly begun: true } | { readonly output: string } | { readonly thrown: string; readonly code?: string };

interface Job {
  readonly task: Task;
  readonly input: string;
  readonly tenant: string;
  readonly digest: string;
  readonly resolve: (output: string) => void;
  readonly reject: (error: Error) => void;
}

/** In the pool until it has ended: one that is being killed still takes memory. */
interface Child {
  readonly process: ChildProcess;
  /** The last of what it wrote to stderr: why V8 ends it. */
  stderr: string;
  isEnding: boolean;
  job?: Job | undefined;
  timer?: NodeJS.Timeout | undefined;
}

const CHILDREN = 2;
const IDLE_MS = 15_000;
/** Until a task begins: its module is loaded before, maybe on a busy machine. */
const START_MS = 120_000;
/** More is only needed for hostile input, and the rest of the pod needs memory, too. Megabytes; kilobytes of stack. */
const FLAGS = ['--max-old-space-size=384', '--max-semi-space-size=16', '--stack-size=3900', '--no-warnings'];
const MOST_STDERR = 4_096;
/** V8 ends a process by these; others come from outside. */
const ABORTS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGBUS']);

class ChildPool implements Offload {
  readonly #locate: (url: string) => string;
  readonly #idleMs: number;
  readonly #waiting = new Map<string, Job[]>();
  readonly #children = new Set<Child>();
  readonly #memory: OverrunMemory;
  #isClosed = false;

  constructor({ locate = (url) => url, idleMs = IDLE_MS, now = Date.now }: OffloadOptions) {
    this.#locate = locate;
    this.#idleMs = idleMs;
    this.#memory = new OverrunMemory(now);
  }

  run(task: Task, input: string, tenant: string): Promise<string> {
    const digest = createHash('sha256')
      .update(`${task.name}\n${tenant}\n`)
      .update(task.key ?? input)
      .digest('hex');
    const known = this.#memory.whyNot(digest);
    if (known !== undefined) return Promise.reject(new OverrunError(known));
    if (this.#isClosed) return Promise.reject(new CancelledError());
    if (this.#areTooMany(task, tenant)) return Promise.reject(new OverrunError('waits for too many others'));
    return new Promise((resolve, reject) => {
      const job = { task, input, tenant, digest, resolve, reject };
      this.#waiting.set(tenant, [...(this.#waiting.get(tenant) ?? []), job]);
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of [...this.#waiting.values()].flat()) job.reject(new CancelledError());
    this.#waiting.clear();
    await Promise.all([...this.#children].map((child) => this.#end(child, new CancelledError())));
  }

  #areTooMany({ name, mostWaiting = Number.POSITIVE_INFINITY }: Task, tenant: string): boolean {
    const waiting = this.#waiting.get(tenant) ?? [];
    return waiting.filter(({ task }) => task.name === name).length >= mostWaiting;
  }

  #dispatch(): void {
    if (this.#isClosed) return;
    const free = [...this.#children].find(({ job, isEnding }) => job === undefined && !isEnding);
    if (free === undefined && this.#children.size >= CHILDREN) return;
    const job = this.#next();
    if (job === undefined) return;
    const child = free ?? this.#started(job);
    if (child === undefined) {
      // The others fail as well, unless there is room for one by then.
      setImmediate(() => this.#dispatch());
      return;
    }
    clearTimeout(child.timer);
    child.job = job;
    child.timer = setTimeout(() => void this.#end(child, ended('it did not begin')), START_MS);
    // It keeps this process alive only while somebody waits for it.
    child.process.ref();
    child.process.channel?.ref();
    const order: Order = { module: this.#locate(job.task.module), name: job.task.name, input: job.input };
    child.process.send(order, (error) => {
      if (error !== null) this.#end(child, ended(error.message)).catch(() => undefined);
    });
    this.#dispatch();
  }

  /** A new child; undefined if this machine has no room for one: the job fails, and is tried again later. */
  #started({ reject }: Job): Child | undefined {
    try {
      const child = this.#start();
      // Without file descriptors, a process comes back that was never started, and has no channel.
      if (child.process.connected) return child;
      this.#children.delete(child);
      reject(ended('it could not be started'));
    } catch (error: unknown) {
      reject(ended(error instanceof Error ? error.message : 'it could not be started'));
    }
    return undefined;
  }

  /** The first job of the tenant that comes next and has none running. */
  #next(): Job | undefined {
    const busy = new Set([...this.#children].map(({ job }) => job?.tenant));
    for (const [tenant, [job, ...others]] of this.#waiting) {
      if (busy.has(tenant)) continue;
      this.#waiting.delete(tenant);
      if (others.length > 0) this.#waiting.set(tenant, others); // At the end: the others come first.
      return job;
    }
    return undefined;
  }

  #start(): Child {
    const entry = this.#locate(new URL('./offload-child.js', import.meta.url).href);
    const started = fork(fileURLToPath(entry), {
      execArgv: FLAGS,
      env: defined({ TZ: process.env['TZ'] }),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const child: Child = { process: started, stderr: '', isEnding: false };
    this.#children.add(child);
    started.on('message', (report: Report) => this.#hear(child, report));
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      child.stderr = (child.stderr + text).slice(-MOST_STDERR);
    });
    if (started.stderr instanceof Socket) started.stderr.unref();
    started.on('error', (error) => this.#gone(child, error));
    // After `close`, all that it wrote to stderr is known.
    started.on('close', (code, signal) => this.#gone(child, this.#deathOf(child, { code, signal })));
    return child;
  }

  #hear(child: Child, report: Report): void {
    const { job } = child;
    if (job === undefined) return;
    clearTimeout(child.timer);
    if ('begun' in report) {
      const { deadlineMs } = job.task;
      child.timer = setTimeout(() => {
        const error = this.#overrun(job, `takes longer than ${deadlineMs / 1_000} s`);
        void this.#end(child, error);
      }, deadlineMs);
      return;
    }
    child.job = undefined;
    child.timer = setTimeout(() => void this.#end(child, new CancelledError()), this.#idleMs).unref();
    child.process.unref();
    child.process.channel?.unref();
    if ('output' in report) job.resolve(report.output);
    else job.reject(Object.assign(new Error(report.thrown), defined({ code: report.code })));
    this.#dispatch();
  }

  #overrun({ digest }: Job, why: string): OverrunError {
    this.#memory.cost(digest, why);
    return new OverrunError(why);
  }

  /** Why a child process ended by itself, for the one whose job it had. */
  #deathOf({ job, stderr }: Child, { code, signal }: { code: number | null; signal: string | null }): Error {
    if (job !== undefined && signal === 'SIGKILL' && this.#memory.isKilledAgain(job.digest)) {
      return this.#overrun(job, 'was killed again and again, as what takes more memory than there is');
    }
    if (signal === null || !ABORTS.has(signal)) return ended(signal ?? `exit code ${code}`);
    const why = /out of memory/i.test(stderr) ? 'takes too much memory' : `ends the process that reads it (${signal})`;
    return job === undefined ? new OverrunError(why) : this.#overrun(job, why);
  }

  /** Resolves when the process is gone; its job fails at once. */
  async #end(child: Child, error: Error): Promise<void> {
    clearTimeout(child.timer);
    child.isEnding = true;
    const { job } = child;
    child.job = undefined;
    job?.reject(error);
    if (!this.#children.has(child)) return;
    child.process.ref();
    const closed = new Promise((resolve) => child.process.once('close', resolve).once('error', resolve));
    child.process.kill('SIGKILL');
    await closed;
  }

  #gone(child: Child, error: Error): void {
    clearTimeout(child.timer);
    // It may be alive if only its channel failed.
    child.process.kill('SIGKILL');
    const { job } = child;
    child.job = undefined;
    this.#children.delete(child);
    job?.reject(error);
    this.#dispatch();
  }
}

/** Not by its input, as far as anybody knows. */
function ended(how: string): TransientError {
  return new TransientError(`a process for what users write ended (${how}): it is started again`);
}

/** Two child processes at most, begun when there is work, each with a limit on its memory. */
export function createOffload(options: OffloadOptions = {}): Offload {
  return new ChildPool(options);
}
