import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { defined } from '#lib/plain.js';
import { CancelledError, TransientError } from '#lib/errors.js';
import { OverrunMemory } from '#lib/retry/overrun-memory.js';
import { WaitingJobs } from './waiting-jobs.js';

/** A pure function over text. It runs in a child process, because users' input decides how long it takes. */
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
   * Runs a task in a child process. Tenants take turns, with one task each at a time, so expensive tasks delay only
   * their own namespace. Throws an OverrunError if the task took too much time or memory, or if V8 ended the process.
   * The same input or key of that tenant is then refused for ten minutes. Throws a TransientError if something else
   * ended the process.
   */
  run(task: Task, input: string, tenant: string): Promise<string>;
  /** Ends the child processes, and cancels all tasks. */
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
export interface Order extends Pick<Task, 'module' | 'name'> {
  readonly input: string;
  /** Process id of the controller. */
  readonly parent: number;
}
export type Report =
  | { readonly begun: true }
  | { readonly output: string }
  /** Why the output is not handed over. */
  | { readonly excess: string }
  | { readonly thrown: string; readonly code?: string };

interface Job {
  readonly task: Task;
  readonly input: string;
  readonly tenant: string;
  readonly digest: string;
  readonly resolve: (output: string) => void;
  readonly reject: (error: Error) => void;
}

/** A child stays in the pool until it has ended: one that is being killed still takes memory. */
interface Child {
  readonly process: ChildProcess;
  /** The end of its stderr output, where V8 reports why it aborts. */
  stderr: string;
  isEnding: boolean;
  job?: Job | undefined;
  timer?: NodeJS.Timeout | undefined;
}

const CHILDREN = 2;
const IDLE_MS = 15_000;
/** Limit until a task starts. The child loads its module first, possibly on a busy machine. */
const START_MS = 120_000;
/** Only hostile input needs more, and the rest of the pod needs memory too. Megabytes; kilobytes for the stack. */
const FLAGS = ['--max-old-space-size=384', '--max-semi-space-size=16', '--stack-size=3900', '--no-warnings'];
const MOST_STDERR = 4_096;
/** Signals with which V8 ends its process. Other signals come from outside. */
const ABORTS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGBUS']);

class ChildPool implements Offload {
  readonly #locate: (url: string) => string;
  readonly #idleMs: number;
  readonly #waiting = new WaitingJobs<Job>();
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
    if (this.#waiting.count(tenant, task.name) >= (task.mostWaiting ?? Infinity))
      return Promise.reject(new OverrunError('waits for too many others'));
    return new Promise((resolve, reject) => {
      this.#waiting.add({ task, input, tenant, digest, resolve, reject });
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.rejectAll(new CancelledError());
    await Promise.all([...this.#children].map((child) => this.#end(child, new CancelledError())));
  }

  #dispatch(): void {
    if (this.#isClosed) return;
    const free = [...this.#children].find(({ job, isEnding }) => job === undefined && !isEnding);
    if (free === undefined && this.#children.size >= CHILDREN) return;
    const job = this.#waiting.next(new Set([...this.#children].map((each) => each.job?.tenant)));
    if (job === undefined) return;
    const child = free ?? this.#started(job);
    if (child === undefined) {
      // The other jobs fail as well, unless a process can be started by then.
      setImmediate(() => this.#dispatch());
      return;
    }
    clearTimeout(child.timer);
    child.job = job;
    child.timer = setTimeout(() => void this.#end(child, ended('it did not begin')), START_MS);
    // Only a running job keeps this process alive.
    child.process.ref();
    child.process.channel?.ref();
    const { input, task } = job;
    const order: Order = { module: this.#locate(task.module), name: task.name, input, parent: process.pid };
    child.process.send(order, (error) => {
      if (error !== null) this.#end(child, ended(error.message)).catch(() => undefined);
    });
    this.#dispatch();
  }

  /** A new child. Undefined if this machine cannot start one: then the job fails, and its caller retries. */
  #started({ reject }: Job): Child | undefined {
    try {
      const child = this.#start();
      // Without file descriptors, `fork` returns a process that never started and has no channel.
      if (child.process.connected) return child;
      this.#children.delete(child);
      reject(ended('it could not be started'));
    } catch (error: unknown) {
      reject(ended(error instanceof Error ? error.message : 'it could not be started'));
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
    // All stderr output has arrived by `close`.
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
    else if ('excess' in report) job.reject(this.#overrun(job, report.excess));
    else job.reject(Object.assign(new Error(report.thrown), defined({ code: report.code })));
    this.#dispatch();
  }

  #overrun({ digest }: Job, why: string): OverrunError {
    this.#memory.cost(digest, why);
    return new OverrunError(why);
  }

  /** The error for the job of a child process that ended by itself. */
  #deathOf({ job, stderr }: Child, { code, signal }: { code: number | null; signal: string | null }): Error {
    if (job !== undefined && signal === 'SIGKILL' && this.#memory.isKilledAgain(job.digest)) {
      return this.#overrun(job, 'was killed again and again, as what takes more memory than there is');
    }
    if (signal === null || !ABORTS.has(signal)) return ended(signal ?? `exit code ${code}`);
    const why = /out of memory/i.test(stderr) ? 'takes too much memory' : `ends the process that reads it (${signal})`;
    return job === undefined ? new OverrunError(why) : this.#overrun(job, why);
  }

  /** Fails the job at once, and resolves when the process is gone. */
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
    // The process may be alive if only its channel failed.
    child.process.kill('SIGKILL');
    const { job } = child;
    child.job = undefined;
    this.#children.delete(child);
    job?.reject(error);
    this.#dispatch();
  }
}

/** The error for a process that ended without proof that its input was the cause. */
function ended(how: string): TransientError {
  return new TransientError(`a process for what users write ended (${how}): it is started again`);
}

/** A pool of at most two child processes, started on demand, each with a memory limit. */
export function createOffload(options: OffloadOptions = {}): Offload {
  return new ChildPool(options);
}
