import { leaseResource, namespaceResource } from '../../api/core.js';
import type { Kube } from './kube.js';
import { apiStatusOf, ConflictError, isNotFound } from './pure/errors.js';
import {
  claimedLease,
  holderOf,
  leaseStep,
  nextLookMs,
  observeLease,
  releasedLease,
  type Lease,
  type LeaseRef,
  type LeaseSituation,
  type LeaseStep,
  type LeaseTimes,
  type LeaseView,
} from './pure/lease.js';
import { linkSignals } from './signals.js';

export interface LeaseHoldOptions {
  readonly kube: Kube;
  readonly ref: LeaseRef;
  readonly identity: string;
  readonly times: LeaseTimes;
  readonly namespaceMayBeMissing?: boolean;
}

export function nameOf({ namespace, name }: LeaseRef): string {
  return `${namespace}/${name}`;
}

/** One Lease on the server and this process's hold on it; the decisions are in pure/lease.ts. */
export class LeaseHold {
  readonly ref: LeaseRef;
  readonly #options: LeaseHoldOptions;
  #view: LeaseView = { lease: undefined, seenAtMs: performance.now() };
  #writeUntilMs: number | undefined;
  /** Its namespace does not exist, which is accepted. */
  #absent = false;

  constructor(options: LeaseHoldOptions) {
    this.#options = options;
    this.ref = options.ref;
  }

  get holder(): string {
    return holderOf(this.#view);
  }

  /** Local monotonic milliseconds; undefined: not held, or nothing to hold. */
  get writeUntilMs(): number | undefined {
    return this.#writeUntilMs;
  }

  step(): LeaseStep {
    return leaseStep(this.#situation());
  }

  /** Why `step` says `lost`, in words. */
  lostTo(): string {
    const { holder } = this;
    if (holder !== '' && holder !== this.#options.identity) return `${holder} holds it`;
    return `it could not be renewed within ${this.#options.times.renewDeadlineMs} ms`;
  }

  nextLookMs(): number {
    if (this.#absent) return this.#options.times.leaseDurationMs;
    return nextLookMs(this.#situation(), this.#options.times, Math.random());
  }

  /** Reads the lease. Throws what the client throws. */
  async look(signal?: AbortSignal): Promise<void> {
    await this.#bounded(signal, async (each) => {
      const { kube, namespaceMayBeMissing } = this.#options;
      const lease = await kube.get<Lease>(leaseResource, this.ref, { signal: each });
      this.#absent =
        lease === undefined &&
        namespaceMayBeMissing === true &&
        (await kube.get(namespaceResource, { name: this.ref.namespace }, { signal: each })) === undefined;
      this.#see(lease);
    });
  }

  /** Writes our name when the last look allows it. False: somebody was faster. Throws what the client throws. */
  async take(signal: AbortSignal): Promise<boolean> {
    if (this.#absent) return true;
    return this.step() === 'acquire' && this.#claim(signal);
  }

  /**
   * Renews; after a conflict it looks and tries once more. Throws what the client throws: the next round tries again.
   */
  async renew(signal: AbortSignal): Promise<void> {
    if (this.#absent) {
      await this.look(signal);
      // Somebody made the namespace and took the lease: it is lost like one that ran out.
      if (!(await this.take(signal))) this.#writeUntilMs = Number.NEGATIVE_INFINITY;
      return;
    }
    if (this.step() !== 'renew' || (await this.#claim(signal))) return;
    if (this.step() === 'renew') await this.#claim(signal);
  }

  /** Gives the lease back when it is ours. Never throws: failing that, it runs out by itself. */
  async release(graceMs: number): Promise<void> {
    const held = this.#writeUntilMs !== undefined;
    this.#writeUntilMs = undefined;
    if (!held) return;
    try {
      if (!(await this.#giveBack(graceMs))) {
        // A renewal that was cut off may have been carried out.
        await this.look();
        await this.#giveBack(graceMs);
      }
    } catch {
      return;
    }
  }

  /** False: the server has another version of the lease. */
  async #giveBack(graceMs: number): Promise<boolean> {
    const { lease } = this.#view;
    if (lease === undefined || this.holder !== this.#options.identity) return true;
    const released = releasedLease(lease, { graceMs, wallMs: Date.now() });
    try {
      const { kube } = this.#options;
      this.#see(await this.#bounded(undefined, (signal) => kube.update<Lease>(leaseResource, released, { signal })));
      return true;
    } catch (error: unknown) {
      if (isOvertaken(error)) return false;
      throw error;
    }
  }

  /** True when the lease is ours now. After a conflict the view is fresh. */
  async #claim(signal: AbortSignal): Promise<boolean> {
    const sentAtMs = performance.now();
    try {
      this.#see(await this.#bounded(signal, (each) => this.#write(each)));
    } catch (error: unknown) {
      if (!isOvertaken(error)) throw error;
      await this.look(signal);
      return false;
    }
    // From before the request was sent: whoever sees it starts to count later than this.
    this.#writeUntilMs = sentAtMs + this.#options.times.renewDeadlineMs;
    return true;
  }

  #write(signal: AbortSignal): Promise<Lease> {
    const { kube } = this.#options;
    const claimed = claimedLease(this.#view.lease, { ...this.#options, wallMs: Date.now() });
    return this.#view.lease === undefined
      ? kube.create<Lease>(leaseResource, claimed, { signal })
      : kube.update<Lease>(leaseResource, claimed, { signal });
  }

  /** Requests that leave time for others before the deadline. */
  async #bounded<T>(signal: AbortSignal | undefined, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.#options.times.renewDeadlineMs / 2);
    const linked = linkSignals([limit.signal, signal]);
    try {
      return await send(linked.signal);
    } finally {
      clearTimeout(timer);
      linked.unlink();
    }
  }

  #see(lease: Lease | undefined): void {
    this.#view = observeLease(this.#view, lease, performance.now());
  }

  #situation(): LeaseSituation {
    const { identity } = this.#options;
    return { view: this.#view, identity, writeUntilMs: this.#writeUntilMs, nowMs: performance.now() };
  }
}

/** Somebody wrote or deleted the lease since it was read. */
function isOvertaken(error: unknown): boolean {
  return error instanceof ConflictError || isNotFound(error) || apiStatusOf(error)?.reason === 'AlreadyExists';
}
