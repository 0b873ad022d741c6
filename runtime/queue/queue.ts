import { backoffDelay, type BackoffPolicy } from '#lib/retry/retry.js';
import { LONGEST_RETRY_MS } from '#lib/errors.js';
import { parseKey } from '#lib/kube/keys.js';
import { FairQueue } from './fair-queue.js';

/** What the queue needs of time; a test passes its own. */
export interface Timers {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Calls back after `delayMs`; returns how to cancel. */
  readonly after: (delayMs: number, callback: () => void) => () => void;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Node runs a longer timer at once: an interval of 876000h, Flux's way to say never, would be a hot loop. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemTimers: Timers = {
  now: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, Math.min(delayMs, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** First retry after 750 ms, never later than 15 minutes: Flux's defaults. */
const DEFAULT_BACKOFF: BackoffPolicy = { baseMs: 750, capMs: LONGEST_RETRY_MS };

interface Delay {
  readonly dueAt: number;
  readonly cancel: () => void;
}

/** Observes the queue; times are in milliseconds. */
export interface QueueObserver {
  readonly added: () => void;
  readonly retried: () => void;
  readonly depth: (keys: number) => void;
  /** A key was handed out after waiting this long. */
  readonly waited: (ms: number) => void;
  /** A key was given back after this long. */
  readonly worked: (ms: number) => void;
}

export interface QueueOptions {
  readonly timers?: Timers;
  readonly backoff?: BackoffPolicy;
  readonly observer?: QueueObserver;
  /** How many keys any namespaces may have worked on at once; default: as many as there are takers. */
  readonly shared?: number;
}

function namespaceOf(key: string): string {
  return parseKey(key).namespace ?? '';
}

/**
 * A work queue with the semantics of client-go: a key that waits is not queued twice; a key that is being worked on is
 * never given to a second worker, but runs again once when it was added meanwhile; delays and backoff are per key.
 * Namespaces take turns, so that none starves another. Above `shared` keys at once only namespaces get one of which
 * none is being worked on: passes that wait for minutes cannot keep every worker to themselves.
 */
export class Queue {
  readonly #timers: Timers;
  readonly #backoff: BackoffPolicy;
  readonly #observer: QueueObserver | undefined;
  readonly #shared: number;
  readonly #waiting = new FairQueue(namespaceOf);
  /** Since when each of them waits. */
  readonly #waitingSince = new Map<string, number>();
  /** Since when each key is being worked on. */
  readonly #active = new Map<string, number>();
  /** Added while active: run again when done. */
  readonly #dirty = new Set<string>();
  readonly #delays = new Map<string, Delay>();
  readonly #failures = new Map<string, number>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #closed = false;

  constructor(options: QueueOptions = {}) {
    this.#timers = options.timers ?? systemTimers;
    this.#backoff = options.backoff ?? DEFAULT_BACKOFF;
    this.#observer = options.observer;
    this.#shared = options.shared ?? Infinity;
  }

  /** Keys that wait now; delayed ones do not count. */
  get depth(): number {
    return this.#waiting.size;
  }

  add(key: string): void {
    if (this.#closed) return;
    this.#cancelDelay(key);
    if (this.#active.has(key)) {
      this.#dirty.add(key);
      return;
    }
    if (!this.#waiting.add(key)) return;
    this.#waitingSince.set(key, this.#timers.now());
    this.#observer?.added();
    this.#hand();
  }

  /** Adds the key after `delayMs`; of two delays the earlier one stays. */
  addAfter(key: string, delayMs: number): void {
    if (this.#closed) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const dueAt = this.#timers.now() + delayMs;
    const known = this.#delays.get(key);
    if (known !== undefined && known.dueAt <= dueAt) return;
    known?.cancel();
    const cancel = this.#timers.after(delayMs, () => {
      this.#delays.delete(key);
      this.add(key);
    });
    this.#delays.set(key, { dueAt, cancel });
  }

  /** Adds the key after its own growing delay, but not before `atLeastMs`. */
  addRateLimited(key: string, atLeastMs = 0): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#observer?.retried();
    this.addAfter(key, Math.max(atLeastMs, backoffDelay(this.#backoff, failures, this.#timers.random())));
  }

  /** The key did well: its next failure starts at the first delay again. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, or undefined once the queue is closed. The caller must call `done`. */
  async take(): Promise<string | undefined> {
    if (this.#closed) return undefined;
    return await new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#hand();
    });
  }

  /** The key may be handed out again. */
  done(key: string): void {
    const startedAt = this.#active.get(key);
    this.#active.delete(key);
    if (startedAt !== undefined) this.#observer?.worked(this.#timers.now() - startedAt);
    if (this.#dirty.delete(key)) this.add(key);
    this.#hand();
  }

  /** For how many milliseconds each key that is not given back yet has been worked on. */
  unfinished(): number[] {
    const now = this.#timers.now();
    return [...this.#active.values()].map((startedAt) => now - startedAt);
  }

  /** No key is given out any more; waiting takers get undefined. */
  close(): void {
    this.#closed = true;
    for (const { cancel } of this.#delays.values()) cancel();
    this.#delays.clear();
    this.#waiting.clear();
    this.#waitingSince.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  #cancelDelay(key: string): void {
    this.#delays.get(key)?.cancel();
    this.#delays.delete(key);
  }

  #next(): string | undefined {
    if (this.#active.size < this.#shared) return this.#waiting.next();
    const busy = new Set([...this.#active.keys()].map(namespaceOf));
    return this.#waiting.next((namespace) => !busy.has(namespace));
  }

  #hand(): void {
    while (this.#takers.length > 0) {
      const key = this.#next();
      if (key === undefined) break;
      this.#start(key);
      this.#takers.shift()?.(key);
    }
    this.#observer?.depth(this.#waiting.size);
  }

  #start(key: string): void {
    const now = this.#timers.now();
    this.#observer?.waited(now - (this.#waitingSince.get(key) ?? now));
    this.#waitingSince.delete(key);
    this.#active.set(key, now);
  }
}
