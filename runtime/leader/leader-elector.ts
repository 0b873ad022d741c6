import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LeaseRef, LeaseTimes } from '#lib/kube/lease.js';
import { TransientError } from '#lib/errors.js';
import type { LeaderTerm } from '../client/fence.js';
import type { Kube } from '../client/kube.js';
import { LeaseLock, nameOf } from './lease-lock.js';
import { linkSignals } from '../process/signals.js';

export interface LeaderElectorOptions {
  /** With connections of its own, so that a renewal never waits behind other requests. */
  readonly kube: Kube;
  readonly log: Logger;
  /** Held all or none. */
  readonly leases: readonly LeaseRef[];
  /** Unique per process. */
  readonly identity: string;
  readonly times: LeaseTimes;
  /** Until this resolves: look, but do not take. Default: stand at once. */
  readonly after?: Promise<void>;
  /**
   * A lease that cannot exist, for want of its namespace, counts as held for as long as that is so: nobody else can
   * hold it either. Default false.
   */
  readonly namespaceMayBeMissing?: boolean;
  /** Logged as a warning with the holders while others hold the leases: what that means, and the way out. */
  readonly waitingHint?: string;
  readonly onLeading?: (leading: boolean) => void;
}

/**
 * Leader election as client-go does it, over one lease or several that are held together. A lease that was lost is
 * never acquired again: the process exits and is restarted.
 */
export class LeaderElector implements LeaderTerm {
  /** Resolves when this process leads; never when that does not come to pass. */
  readonly elected: Promise<void>;
  readonly #options: LeaderElectorOptions;
  readonly #holds: readonly LeaseLock[];
  readonly #losing = new AbortController();
  readonly #ended = new AbortController();
  #resolveElected = (): void => undefined;
  #running: Promise<void> | undefined;
  #mayStand: boolean;
  #leading = false;
  #deadlineTimer: NodeJS.Timeout | undefined;
  #problem: string | undefined;
  #reportedHolders = '';

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#mayStand = options.after === undefined;
    this.#holds = options.leases.map((ref) => new LeaseLock({ ...options, ref }));
    this.elected = new Promise((resolve) => (this.#resolveElected = resolve));
    setMaxListeners(0, this.lost);
  }

  get lost(): AbortSignal {
    return this.#losing.signal;
  }

  get writeUntilMs(): number | undefined {
    if (this.lost.aborted || this.#ended.signal.aborted) return Number.NEGATIVE_INFINITY;
    if (!this.#leading) return undefined;
    return Math.min(...this.#holds.map(({ writeUntilMs }) => writeUntilMs ?? Number.POSITIVE_INFINITY));
  }

  get leading(): boolean {
    return this.#leading;
  }

  /** What went wrong with the last look; undefined when nothing did. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The other holder of the leases; empty while this process leads. */
  otherHolders(): string[] {
    if (this.#leading) return [];
    const held = this.#holds.filter((hold) => hold.step() === 'wait');
    return held.map((hold) => `Lease ${nameOf(hold.ref)} is held by ${hold.holder}`);
  }

  /** Stands for election, in the background, and stays leader until `stop` is called or the leadership is lost. */
  start(): void {
    this.#running ??= this.#run();
  }

  /**
   * Ends the campaign and gives the leases back, so that the next process need not wait for them to run out. Call it
   * when nothing is written any more; with `graceMs` no other process can lead for that time.
   */
  async stop(graceMs: number): Promise<void> {
    this.#ended.abort();
    clearTimeout(this.#deadlineTimer);
    await this.#running;
    await Promise.all(this.#holds.map((hold) => hold.release(graceMs)));
    if (this.#leading) this.#options.onLeading?.(false);
    this.#leading = false;
  }

  async #run(): Promise<void> {
    const { after } = this.#options;
    void after?.then(() => (this.#mayStand = true));
    const over = linkSignals([this.#ended.signal, this.lost]).signal;
    while (!over.aborted) {
      await this.#round(over);
      const pause = delay(this.#nextMs(), undefined, { signal: over }).catch(() => undefined);
      await (this.#mayStand ? pause : Promise.race([pause, after]));
    }
    clearTimeout(this.#deadlineTimer);
  }

  async #round(signal: AbortSignal): Promise<void> {
    try {
      await (this.#leading ? this.#renew(signal) : this.#stand(signal));
      this.#problem = undefined;
    } catch (error: unknown) {
      if (signal.aborted) return; // A renewal that was cut off says nothing.
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem) this.#options.log.warn({ err: problem }, 'leader election failed, retrying');
      this.#problem = problem;
    }
  }

  async #stand(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#holds.map((hold) => hold.look(signal)));
    if (!this.#mayStand) return;
    this.#reportHolders();
    if (this.#holds.some((hold) => hold.step() !== 'acquire')) return;
    let all = false;
    try {
      all = await this.#takeAll(signal);
    } finally {
      // All or none: another process was faster, or a claim failed.
      if (!all) await Promise.all(this.#holds.map((hold) => hold.release(0)));
    }
    if (all) this.#lead();
  }

  /** False also when the time of the first one was up before the last one was taken. */
  async #takeAll(signal: AbortSignal): Promise<boolean> {
    for (const hold of this.#holds) if (!(await hold.take(signal))) return false;
    return this.#holds.every((hold) => hold.step() === 'renew');
  }

  #reportHolders(): void {
    const holders = this.otherHolders().join(', ');
    if (holders === this.#reportedHolders) return;
    this.#reportedHolders = holders;
    const { log, waitingHint } = this.#options;
    if (waitingHint === undefined) log.info({ holders }, 'waiting for the lease');
    else log.warn({ holders }, waitingHint);
  }

  #lead(): void {
    this.#leading = true;
    this.#armDeadline();
    this.#options.log.info({ leases: this.#options.leases.map(nameOf), identity: this.#options.identity }, 'leading');
    this.#options.onLeading?.(true);
    this.#resolveElected();
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const results = await Promise.allSettled(this.#holds.map((hold) => hold.renew(signal)));
    this.#loseIfOver();
    this.#armDeadline();
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Reports the deadline in time even while a renewal hangs. */
  #armDeadline(): void {
    clearTimeout(this.#deadlineTimer);
    const until = this.writeUntilMs;
    if (until === undefined || !Number.isFinite(until)) return;
    this.#deadlineTimer = setTimeout(() => this.#loseIfOver(), Math.max(0, until - performance.now()) + 1);
  }

  #loseIfOver(): void {
    const over = this.#holds.find((hold) => hold.step() === 'lost');
    if (!this.#leading || over === undefined || this.lost.aborted) return;
    const message = `lost Lease ${nameOf(over.ref)}: ${over.lostTo()}; this process exits`;
    this.#options.log.error(message);
    this.#options.onLeading?.(false);
    this.#losing.abort(new TransientError(message, { reason: 'LeaseLost' }));
  }

  #nextMs(): number {
    if (!this.#mayStand) return this.#options.times.retryPeriodMs;
    return Math.min(...this.#holds.map((hold) => hold.nextLookMs()));
  }
}
