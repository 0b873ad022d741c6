import { leaseResource, namespaceResource } from '#api/core.js';
import { apiStatusOf, ConflictError, isNotFound } from '#lib/errors.js';
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
} from '#lib/kube/lease.js';
import type { Kube } from '../client/kube.js';
import { linkSignals } from '../process/signals.js';

export interface LeaseLockOptions {
  readonly kube: Kube;
  readonly ref: LeaseRef;
  readonly identity: string;
  readonly times: LeaseTimes;
  readonly namespaceMayBeMissing?: boolean;
}

export function nameOf({ namespace, name }: LeaseRef): string {
  return `${namespace}/${name}`;
}

/** One Lease on the server and this process's hold on it; the decisions are in lib/kube/lease.ts. */
export class LeaseLock {
  readonly ref: LeaseRef;
  readonly #options: LeaseLockOptions;
  #view: LeaseView = { lease: undefined, seenAtMs: performance.now() };
  #writeUntilMs: number | undefined;
  /** A claim was sent, which the server may have carried out whatever the answer was. */
  #claimed = false;
  /**
   * Local monotonic time before the look that found no lease and no namespace to make one in, which is accepted:
   * nobody else can hold the lease either. It is the claim in that case, and has to be renewed like one.
   */
  #absentAtMs: number | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.ref = options.ref;
  }

  get holder(): string {
    return holderOf(this.#view);
  }

  /** Local monotonic milliseconds; undefined: not held. */
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
    return nextLookMs(this.#situation(), this.#options.times, Math.random());
  }

  /** Reads the lease. Throws what the client throws. */
  async look(signal?: AbortSignal): Promise<void> {
    const sentAtMs = performance.now();
    await this.#bounded(signal, async (each) => {
      const lease = await this.#options.kube.get<Lease>(leaseResource, this.ref, { signal: each });
      this.#absentAtMs = lease === undefined && (await this.#cannotBeMade(each)) ? sentAtMs : undefined;
      this.#see(lease);
    });
  }

  /**
   * Writes our name if the last observation allows it. False: another process was faster. Throws what the client
   * throws.
   */
  async take(signal: AbortSignal): Promise<boolean> {
    return this.step() === 'acquire' && this.#claim(signal);
  }

  /**
   * Renews; after a conflict it looks and tries once more. Throws what the client throws: the next round tries again.
   */
  async renew(signal: AbortSignal): Promise<void> {
    if (this.#absentAtMs !== undefined) await this.look(signal);
    if (this.step() !== 'renew' || (await this.#claim(signal))) return;
    if (this.step() === 'renew') await this.#claim(signal);
  }

  /** Gives the lease back when it is ours. Never throws: failing that, it runs out by itself. */
  async release(graceMs: number): Promise<void> {
    this.#writeUntilMs = undefined;
    if (!this.#claimed) return;
    try {
      // A claim or a renewal that was cut off may have been carried out.
      if (this.holder !== this.#options.identity) await this.look();
      if (!(await this.#giveBack(graceMs))) {
        await this.look();
        await this.#giveBack(graceMs);
      }
    } catch {
      return;
    }
    this.#claimed = false;
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

  /** True when the lease is ours now, or there can be none. Otherwise the view is fresh. */
  async #claim(signal: AbortSignal): Promise<boolean> {
    // From before the request was sent: others start to count later than this.
    const sentAtMs = this.#absentAtMs ?? performance.now();
    try {
      if (this.#absentAtMs === undefined) this.#see(await this.#bounded(signal, (each) => this.#write(each)));
    } catch (error: unknown) {
      await this.look(signal);
      if (!isOvertaken(error) && this.#absentAtMs === undefined) throw error;
      return false;
    }
    this.#writeUntilMs = sentAtMs + this.#options.times.renewDeadlineMs;
    return true;
  }

  /** True where the namespace is not there, or takes in nothing new because it is being deleted. */
  async #cannotBeMade(signal: AbortSignal): Promise<boolean> {
    const { kube, namespaceMayBeMissing = false } = this.#options;
    if (!namespaceMayBeMissing) return false;
    const namespace = await kube.get(namespaceResource, { name: this.ref.namespace }, { signal });
    return namespace === undefined || namespace.metadata.deletionTimestamp !== undefined;
  }

  #write(signal: AbortSignal): Promise<Lease> {
    const { kube } = this.#options;
    const claimed = claimedLease(this.#view.lease, { ...this.#options, wallMs: Date.now() });
    this.#claimed = true;
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

/** The lease was written or deleted since it was read. */
function isOvertaken(error: unknown): boolean {
  return error instanceof ConflictError || isNotFound(error) || apiStatusOf(error)?.reason === 'AlreadyExists';
}
