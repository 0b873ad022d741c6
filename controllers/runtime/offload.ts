import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { defined } from './pure/defined.js';
import { CancelledError } from './pure/errors.js';
import { createLru } from './pure/lru.js';

/** A pure function over text that another thread runs, because what users write decides how long it takes. */
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
   * Runs a task in another thread, one at a time for each tenant, and tenants take turns: a namespace with expensive
   * tasks delays only itself. Throws an OverrunError when it took too long or too much memory; the same input, or
   * one with the same key, of the same tenant is not tried again for ten minutes.
   */
  run(task: Task, input: string, tenant: string): Promise<string>;
  /** Ends the threads; what runs or waits is cancelled. */
  close(): Promise<void>;
}

export interface OffloadOptions {
  /** Where the built form of a module is; default: the module itself. */
  readonly locate?: (url: string) => string;
  /** Milliseconds after which a thread without work ends. */
  readonly idleMs?: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** Messages to and from a thread. */
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

interface Thread {
  readonly worker: Worker;
  job?: Job | undefined;
  timer?: NodeJS.Timeout | undefined;
}

const THREADS = 2;
const IDLE_MS = 15_000;
/** More is only needed for hostile input, and the rest of the process needs memory, too. */
const LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const REMEMBERED = 1_000;
const REMEMBERED_MS = 600_000;

class ThreadPool implements Offload {
  readonly #locate: (url: string) => string;
  readonly #idleMs: number;
  readonly #now: () => number;
  readonly #waiting = new Map<string, Job[]>();
  readonly #threads = new Set<Thread>();
  /** Of inputs that cost too much: why, and until when that is believed. */
  readonly #overruns = createLru<{ readonly why: string; readonly until: number }>(REMEMBERED);
  #isClosed = false;

  constructor({ locate = (url) => url, idleMs = IDLE_MS, now = Date.now }: OffloadOptions) {
    this.#locate = locate;
    this.#idleMs = idleMs;
    this.#now = now;
  }

  run(task: Task, input: string, tenant: string): Promise<string> {
    const digest = createHash('sha256')
      .update(`${task.name}\n${tenant}\n`)
      .update(task.key ?? input)
      .digest('hex');
    const known = this.#overruns.get(digest);
    if (known !== undefined && known.until > this.#now()) return Promise.reject(new OverrunError(known.why));
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
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, new CancelledError())));
  }

  #areTooMany({ name, mostWaiting = Number.POSITIVE_INFINITY }: Task, tenant: string): boolean {
    const waiting = this.#waiting.get(tenant) ?? [];
    return waiting.filter(({ task }) => task.name === name).length >= mostWaiting;
  }

  #dispatch(): void {
    const free = [...this.#threads].find(({ job }) => job === undefined);
    if (free === undefined && this.#threads.size >= THREADS) return;
    const job = this.#next();
    if (job === undefined) return;
    const thread = free ?? this.#start();
    clearTimeout(thread.timer);
    thread.job = job;
    const order: Order = { module: this.#locate(job.task.module), name: job.task.name, input: job.input };
    thread.worker.postMessage(order);
    this.#dispatch();
  }

  /** The first job of the tenant that comes next and has none running. */
  #next(): Job | undefined {
    const busy = new Set([...this.#threads].map(({ job }) => job?.tenant));
    for (const [tenant, [job, ...others]] of this.#waiting) {
      if (busy.has(tenant)) continue;
      this.#waiting.delete(tenant);
      if (others.length > 0) this.#waiting.set(tenant, others); // At the end: the others come first.
      return job;
    }
    return undefined;
  }

  #start(): Thread {
    const entry = this.#locate(new URL('./offload-thread.js', import.meta.url).href);
    const worker = new Worker(new URL(entry), { resourceLimits: LIMITS, execArgv: [], env: {} });
    // A thread keeps no process alive that would end otherwise.
    worker.unref();
    const thread: Thread = { worker };
    this.#threads.add(thread);
    worker.on('message', (report: Report) => this.#hear(thread, report));
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      void (isMemory ? this.#overrun(thread, 'takes too much memory') : this.#end(thread, error));
    });
    worker.on('exit', () => void this.#end(thread, new Error('the thread ended')));
    return thread;
  }

  #hear(thread: Thread, report: Report): void {
    const { job } = thread;
    if (job === undefined) return;
    if ('begun' in report) {
      const { deadlineMs } = job.task;
      thread.timer = setTimeout(() => {
        void this.#overrun(thread, `takes longer than ${deadlineMs / 1_000} s`);
      }, deadlineMs);
      return;
    }
    clearTimeout(thread.timer);
    thread.job = undefined;
    thread.timer = setTimeout(() => void this.#end(thread, new CancelledError()), this.#idleMs).unref();
    if ('output' in report) job.resolve(report.output);
    else job.reject(Object.assign(new Error(report.thrown), defined({ code: report.code })));
    this.#dispatch();
  }

  async #overrun(thread: Thread, why: string): Promise<void> {
    if (thread.job !== undefined) {
      this.#overruns.set(thread.job.digest, { why, until: this.#now() + REMEMBERED_MS });
    }
    await this.#end(thread, new OverrunError(why));
  }

  async #end(thread: Thread, error: Error): Promise<void> {
    clearTimeout(thread.timer);
    const { job } = thread;
    thread.job = undefined;
    if (!this.#threads.delete(thread)) return;
    job?.reject(error);
    await thread.worker.terminate();
    if (!this.#isClosed) this.#dispatch();
  }
}

/** Two threads at most, begun when there is work, each with a limit on its memory. */
export function createOffload(options: OffloadOptions = {}): Offload {
  return new ThreadPool(options);
}
