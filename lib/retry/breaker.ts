import { backoffDelay, type BackoffPolicy } from './retry.js';

export interface BreakerPolicy {
  /** Failures one after the other, without any answer between them, that open the circuit. */
  readonly failures: number;
  /** Failures that lie further apart than this, in milliseconds, do not belong together. */
  readonly windowMs: number;
  /** How long the circuit stays open: the first time, and after each probe that failed. */
  readonly open: BackoffPolicy;
}

/** `refusedForMs`: nothing may be sent for so long. `probe`: this one request shall find out. */
export type Admission = { go: 'yes' | 'probe' } | { go: 'no'; refusedForMs: number };

/** While a probe runs, its duration is unknown: others ask again after this. */
const PROBE_WAIT_MS = 1_000;

/**
 * A circuit breaker: after repeated failures, requests fail at once, so that a dead server costs no timeout. After a
 * jittered delay, one request is sent as a probe. Times are monotonic milliseconds, `random` is in [0, 1).
 */
export class Breaker {
  readonly #policy: BreakerPolicy;
  #failures = 0;
  #lastFailureAt = -Infinity;
  /** How many times it opened without an answer between. */
  #opened = 0;
  #openUntil: number | undefined;
  #probing = false;

  constructor(policy: BreakerPolicy) {
    this.#policy = policy;
  }

  admit(now: number): Admission {
    if (this.#openUntil === undefined) return { go: 'yes' };
    if (now < this.#openUntil) return { go: 'no', refusedForMs: this.#openUntil - now };
    if (this.#probing) return { go: 'no', refusedForMs: PROBE_WAIT_MS };
    this.#probing = true;
    return { go: 'probe' };
  }

  /** Any response counts, even a rejection: the server is there. */
  succeeded(): void {
    this.#failures = 0;
    this.#opened = 0;
    this.#openUntil = undefined;
    this.#probing = false;
  }

  /** A probe that its caller cancelled says nothing; the next request is a probe again. */
  abandoned(): void {
    this.#probing = false;
  }

  /**
   * A request that began at `startedAt` got no answer. Requests that were under way together fail together, and count
   * once: a load balancer that drops its connections is no dead server.
   */
  failed(startedAt: number, { now, random }: { now: number; random: number }): void {
    if (this.#openUntil !== undefined) {
      if (this.#probing) this.#open(now, random);
      return;
    }
    if (startedAt < this.#lastFailureAt) return;
    this.#failures = now - this.#lastFailureAt > this.#policy.windowMs ? 1 : this.#failures + 1;
    this.#lastFailureAt = now;
    if (this.#failures >= this.#policy.failures) this.#open(now, random);
  }

  #open(now: number, random: number): void {
    this.#openUntil = now + backoffDelay(this.#policy.open, this.#opened, random);
    this.#opened += 1;
    this.#probing = false;
  }
}
