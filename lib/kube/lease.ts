import type { KubeObject } from '#api/meta.js';

/** `spec` of a coordination.k8s.io/v1 Lease, as far as client-go's leader election uses it. */
export interface LeaseSpec {
  /** Absent or empty: the lease is free. */
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  /** RFC 3339 with microseconds, by the holder's wall clock: for people, and to distinguish renewals. */
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

/** Milliseconds. leaseDuration > renewDeadline > retryPeriod. */
export interface LeaseTimes {
  /** Others may take the lease when they have not seen it renewed for this long. */
  readonly leaseDurationMs: number;
  /** The holder stops writing this long after the start of its last successful renewal. */
  readonly renewDeadlineMs: number;
  /** Time between two renewals, and the longest time between two looks of those who wait. */
  readonly retryPeriodMs: number;
}

/**
 * A lease as this process knows it. `seenAtMs` is the local monotonic time at which the answer with this very spec was
 * there for the first time: not before the holder wrote it, whatever any wall clock says.
 */
export interface LeaseView {
  readonly lease: Lease | undefined;
  readonly seenAtMs: number;
}

export type LeaseStep =
  /** It is free or expired: write our name. */
  | 'acquire'
  /** Ours: write a new renewTime. */
  | 'renew'
  /** Held by another process. */
  | 'wait'
  /** It was ours, and expired or was taken over. Nothing may be written any more. */
  | 'lost';

export interface LeaseSituation {
  readonly view: LeaseView;
  readonly identity: string;
  /** Local monotonic milliseconds until which this process may write as the holder; undefined: it is not the holder. */
  readonly writeUntilMs: number | undefined;
  /** Local monotonic milliseconds. */
  readonly nowMs: number;
}

export function holderOf({ lease }: LeaseView): string {
  return lease?.spec?.holderIdentity ?? '';
}

/** What a new answer of the server makes of a view: the first sight of an unchanged spec stays. */
export function observeLease(view: LeaseView | undefined, lease: Lease | undefined, nowMs: number): LeaseView {
  const unchanged = view !== undefined && JSON.stringify(view.lease?.spec) === JSON.stringify(lease?.spec);
  return { lease, seenAtMs: unchanged ? view.seenAtMs : nowMs };
}

/** Local monotonic milliseconds from which others may take the lease of its present holder. */
function expiryOf({ lease, seenAtMs }: LeaseView): number {
  return seenAtMs + (lease?.spec?.leaseDurationSeconds ?? 0) * 1_000;
}

/** What to do about a lease now. Only local monotonic times are compared. */
export function leaseStep({ view, identity, writeUntilMs, nowMs }: LeaseSituation): LeaseStep {
  const holder = holderOf(view);
  const free = holder === '' || holder === identity;
  if (writeUntilMs !== undefined) return free && nowMs < writeUntilMs ? 'renew' : 'lost';
  return free || nowMs >= expiryOf(view) ? 'acquire' : 'wait';
}

/**
 * Milliseconds until the next look. Those who wait come a little more often than the holder renews, spread so that they
 * do not come together, and at the very moment when the lease runs out. `random` is in [0, 1).
 */
export function nextLookMs(situation: LeaseSituation, times: LeaseTimes, random: number): number {
  const { view, writeUntilMs, nowMs } = situation;
  if (writeUntilMs !== undefined) return times.retryPeriodMs;
  const spread = times.retryPeriodMs * (0.6 + 0.3 * random);
  const untilExpiry = holderOf(view) === '' ? 0 : expiryOf(view) - nowMs;
  return untilExpiry > 0 ? Math.min(spread, untilExpiry) : spread;
}

export interface LeaseRef {
  readonly namespace: string;
  readonly name: string;
}

export interface LeaseClaim {
  readonly ref: LeaseRef;
  readonly identity: string;
  readonly times: LeaseTimes;
  /** Epoch milliseconds, for people. */
  readonly wallMs: number;
}

/** metav1.MicroTime: exactly six digits. */
function microTime(epochMs: number): string {
  // Not a clock: formats the time it is given.
  // eslint-disable-next-line no-restricted-globals
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}

/**
 * A time that differs from the last one even when the wall clock stands still or goes back: else nobody sees a renewal.
 */
function renewedAt(last: string | undefined, wallMs: number): string {
  // Not a clock: reads the time it is given.
  // eslint-disable-next-line no-restricted-globals
  const lastMs = last === undefined ? Number.NaN : Date.parse(last);
  return microTime(lastMs >= wallMs ? lastMs + 1 : wallMs);
}

/** The lease with our name on it, ready to be created or updated: it carries the resourceVersion that was seen. */
export function claimedLease(lease: Lease | undefined, { ref, identity, times, wallMs }: LeaseClaim): Lease {
  const spec = lease?.spec ?? {};
  const leaseDurationSeconds = Math.ceil(times.leaseDurationMs / 1_000);
  const ours = { ...spec, holderIdentity: identity, leaseDurationSeconds };
  const base = lease ?? { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...ref } };
  if (spec.holderIdentity === identity) {
    return { ...base, spec: { ...ours, renewTime: renewedAt(spec.renewTime, wallMs) } };
  }
  const now = microTime(wallMs);
  const leaseTransitions = lease === undefined ? 0 : (spec.leaseTransitions ?? 0) + 1;
  return { ...base, spec: { ...ours, acquireTime: now, renewTime: now, leaseTransitions } };
}

/**
 * The lease given back. With `graceMs` it stays ours for that time, in which nobody may take it: for writes whose
 * answer never came and which the server may still carry out.
 */
export function releasedLease(lease: Lease, { graceMs, wallMs }: { graceMs: number; wallMs: number }): Lease {
  const { holderIdentity, ...spec } = lease.spec ?? {};
  const renewTime = renewedAt(spec.renewTime, wallMs);
  if (graceMs > 0 && holderIdentity !== undefined) {
    return { ...lease, spec: { ...spec, holderIdentity, leaseDurationSeconds: Math.ceil(graceMs / 1_000), renewTime } };
  }
  return { ...lease, spec: { ...spec, leaseDurationSeconds: 1, acquireTime: renewTime, renewTime } };
}
