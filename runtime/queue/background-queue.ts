import type { Timers } from './queue.js';

/** Parallel jobs: background work must not displace urgent work. */
const AT_ONCE = 4;
const MAX_WAITING = 5_000;
const LOOK_MS = 100;
const LONGEST_WAIT_MS = 10_000;

/** Never rejects. */
export type Job = () => Promise<void>;

interface Waiting {
  readonly job: Job;
  /** Monotonic milliseconds. */
  readonly since: number;
}

export interface BackgroundQueueOptions {
  readonly timers: Timers;
  /** True while urgent work waits; called before each job. */
  readonly isBusy: () => boolean;
}

/**
 * Background jobs: run in their order, a few at a time, while no urgent work waits, and after ten seconds in any case.
 */
export class BackgroundQueue {
  readonly #options: BackgroundQueueOptions;
  readonly #waiting: Waiting[] = [];
  readonly #running = new Set<Promise<void>>();
  #isFlushing = false;
  #willLook = false;

  constructor(options: BackgroundQueueOptions) {
    this.#options = options;
  }

  /** Drops the job if too many wait. */
  add(job: Job): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push({ job, since: this.#options.timers.now() });
    this.#run();
  }

  /** Runs all waiting jobs, busy or not, and drops those that did not start in time; resolves after the last one. */
  async flush(limitMs: number): Promise<void> {
    this.#isFlushing = true;
    const settle = this.#options.timers.after(limitMs, () => this.#waiting.splice(0));
    this.#run();
    while (this.#running.size > 0) await Promise.race(this.#running);
    settle();
    this.#isFlushing = false;
  }

  #run(): void {
    while (this.#running.size < AT_ONCE) {
      const job = this.#take();
      if (job === undefined) break;
      this.#start(job);
    }
    if (this.#waiting.length > 0 && this.#running.size === 0) this.#lookLater();
  }

  /** The next job, if one can run now. */
  #take(): Job | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const { timers, isBusy } = this.#options;
    const isDue = this.#isFlushing || timers.now() - first.since >= LONGEST_WAIT_MS || !isBusy();
    return isDue ? this.#waiting.shift()?.job : undefined;
  }

  #start(job: Job): void {
    const running = job().then(() => {
      this.#running.delete(running);
      this.#run();
    });
    this.#running.add(running);
  }

  #lookLater(): void {
    if (this.#willLook) return;
    this.#willLook = true;
    this.#options.timers.after(LOOK_MS, () => {
      this.#willLook = false;
      this.#run();
    });
  }
}
