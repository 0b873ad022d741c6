import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  claimedLease,
  leaseStep,
  nextLookMs,
  observeLease,
  releasedLease,
  type Lease,
  type LeaseSpec,
  type LeaseView,
} from '#lib/kube/lease.js';

const TIMES = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
const REF = { namespace: 'system', name: 'leader' };
const WALL = Date.UTC(2026, 10, 21, 16, 0, 0, 123);
const NOW = '2026-11-21T16:00:00.123000Z';

function leaseOf(spec: LeaseSpec): Lease {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...REF, resourceVersion: '7' }, spec };
}

function heldBy(holderIdentity: string, seenAtMs = 0): LeaseView {
  return { lease: leaseOf({ holderIdentity, leaseDurationSeconds: 15 }), seenAtMs };
}

describe('leaseStep', () => {
  const none: LeaseView = { lease: undefined, seenAtMs: 0 };
  const free: LeaseView = { lease: leaseOf({ leaseDurationSeconds: 1 }), seenAtMs: 0 };
  it.each([
    ['a lease that does not exist', 'acquire', { view: none, writeUntilMs: undefined, nowMs: 0 }],
    ['a lease that was given back', 'acquire', { view: free, writeUntilMs: undefined, nowMs: 0 }],
    ['a lease with an empty holder', 'acquire', { view: heldBy(''), writeUntilMs: undefined, nowMs: 0 }],
    [
      'a lease with our name, whose answer was lost',
      'acquire',
      { view: heldBy('me'), writeUntilMs: undefined, nowMs: 0 },
    ],
    ["another one's, just seen", 'wait', { view: heldBy('other'), writeUntilMs: undefined, nowMs: 0 }],
    [
      "another one's, one millisecond before its end",
      'wait',
      { view: heldBy('other'), writeUntilMs: undefined, nowMs: 14_999 },
    ],
    [
      "another one's, not renewed for its duration",
      'acquire',
      { view: heldBy('other'), writeUntilMs: undefined, nowMs: 15_000 },
    ],
    [
      "another one's, seen later and later",
      'wait',
      { view: heldBy('other', 9_000), writeUntilMs: undefined, nowMs: 23_999 },
    ],
    ['ours, in time', 'renew', { view: heldBy('me'), writeUntilMs: 10_000, nowMs: 9_999 }],
    ['ours, at the deadline', 'lost', { view: heldBy('me'), writeUntilMs: 10_000, nowMs: 10_000 }],
    ['ours, after a long stop of the process', 'lost', { view: heldBy('me'), writeUntilMs: 10_000, nowMs: 60_000 }],
    ['ours, taken by force', 'lost', { view: heldBy('other'), writeUntilMs: 10_000, nowMs: 5_000 }],
    ['ours, deleted by somebody', 'renew', { view: none, writeUntilMs: 10_000, nowMs: 5_000 }],
    ['ours, its holder removed by somebody', 'renew', { view: free, writeUntilMs: 10_000, nowMs: 5_000 }],
  ])('%s: %s', (_, step, situation) => {
    expect(leaseStep({ identity: 'me', ...situation })).toBe(step);
  });
});

describe('observeLease', () => {
  const seen: LeaseView = { lease: leaseOf({ holderIdentity: 'other', renewTime: NOW }), seenAtMs: 100 };
  it('counts from the first sight of a spec, whatever happens to the rest of the object', () => {
    const labelled = { ...leaseOf({ holderIdentity: 'other', renewTime: NOW }) };
    labelled.metadata = { ...labelled.metadata, resourceVersion: '8', labels: { a: 'b' } };
    expect(observeLease(seen, labelled, 200)).toEqual({ lease: labelled, seenAtMs: 100 });
  });

  it.each([
    ['a renewal', leaseOf({ holderIdentity: 'other', renewTime: '2026-11-21T16:00:02.123000Z' })],
    ['another holder', leaseOf({ holderIdentity: 'third', renewTime: NOW })],
    ['a deletion', undefined],
  ])('counts anew after %s', (_, lease) => {
    expect(observeLease(seen, lease, 200)).toEqual({ lease, seenAtMs: 200 });
  });
});

describe('nextLookMs', () => {
  it.each([
    ['the holder renews once per period', 2_000, { view: heldBy('me'), writeUntilMs: 10_000, nowMs: 0 }],
    ['those who wait look a little more often', 1_500, { view: heldBy('other'), writeUntilMs: undefined, nowMs: 0 }],
    ['and at the very end of the lease', 200, { view: heldBy('other'), writeUntilMs: undefined, nowMs: 14_800 }],
    [
      'but not without a pause when it could not be taken then',
      1_500,
      { view: heldBy('other'), writeUntilMs: undefined, nowMs: 15_000 },
    ],
    ['a free lease is looked at once per period', 1_500, { view: heldBy(''), writeUntilMs: undefined, nowMs: 0 }],
  ])('%s', (_, expected, situation) => {
    expect(nextLookMs({ identity: 'me', ...situation }, TIMES, 0.5)).toBe(expected);
  });
});

describe('claimedLease', () => {
  const claim = { ref: REF, identity: 'me', times: TIMES, wallMs: WALL };
  const ours = { holderIdentity: 'me', leaseDurationSeconds: 15 };

  it('makes a lease that does not exist', () => {
    expect(claimedLease(undefined, claim)).toEqual({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: REF,
      spec: { ...ours, acquireTime: NOW, renewTime: NOW, leaseTransitions: 0 },
    });
  });

  it('takes over with the resourceVersion that was seen, and counts the transition', () => {
    const taken = claimedLease(
      leaseOf({ holderIdentity: 'other', leaseDurationSeconds: 40, leaseTransitions: 4 }),
      claim,
    );
    expect(taken.metadata.resourceVersion).toBe('7');
    expect(taken.spec).toEqual({ ...ours, acquireTime: NOW, renewTime: NOW, leaseTransitions: 5 });
  });

  it('renews without a new acquireTime or transition', () => {
    const held = { ...ours, acquireTime: '2026-11-21T15:00:00.000000Z', renewTime: '2026-11-21T15:59:58.000000Z' };
    const renewed = claimedLease(leaseOf({ ...held, leaseTransitions: 4 }), claim);
    expect(renewed.spec).toEqual({ ...held, renewTime: NOW, leaseTransitions: 4 });
  });

  it('never writes the same renewTime twice, not even when the wall clock goes back', () => {
    const held = { ...ours, renewTime: '2026-11-21T17:00:00.000000Z' };
    expect(claimedLease(leaseOf(held), claim).spec?.renewTime).toBe('2026-11-21T17:00:00.001000Z');
  });
});

describe('releasedLease', () => {
  const held = leaseOf({ holderIdentity: 'me', leaseDurationSeconds: 15, leaseTransitions: 4 });
  it('has no holder, so that the next one takes it at its next look', () => {
    const released = releasedLease(held, { graceMs: 0, wallMs: WALL });
    expect(released.spec).toEqual({ leaseDurationSeconds: 1, acquireTime: NOW, renewTime: NOW, leaseTransitions: 4 });
    expect(
      leaseStep({ view: observeLease(undefined, released, 0), identity: 'next', writeUntilMs: undefined, nowMs: 0 }),
    ).toBe('acquire');
  });

  it('stays ours for a grace', () => {
    const released = releasedLease(held, { graceMs: 4_200, wallMs: WALL });
    const situation = { view: observeLease(undefined, released, 0), identity: 'next', writeUntilMs: undefined };
    expect(leaseStep({ ...situation, nowMs: 4_999 })).toBe('wait');
    expect(leaseStep({ ...situation, nowMs: 5_000 })).toBe('acquire');
  });
});

/** A request under way: sent, then carried out by the server, then answered. */
interface Request {
  readonly sentAtMs: number;
  readonly wanted: Lease | undefined;
  served?: { ok: boolean; lease: Lease | undefined };
}

/** A process whose clocks differ from everybody else's; it sends one request at a time. */
interface Candidate {
  identity: string;
  readonly startedAtMs: number;
  readonly wallSkewMs: number;
  view: LeaseView | undefined;
  writeUntilMs: number | undefined;
  request: Request | undefined;
}

class World {
  atMs = 0;
  lives = 0;
  version = 0;
  lease: Lease | undefined;
  /** When the server carried out the last write of the lease. */
  writtenAtMs = Number.NEGATIVE_INFINITY;
  readonly candidates: Candidate[];

  constructor(skews: readonly number[]) {
    this.candidates = skews.map((skew) => this.#born(skew));
  }

  #born(skew: number): Candidate {
    this.lives += 1;
    const clocks = { startedAtMs: skew * 7, wallSkewMs: skew };
    return { identity: `p${this.lives}`, ...clocks, view: undefined, writeUntilMs: undefined, request: undefined };
  }

  nowOf({ startedAtMs }: Candidate): number {
    return this.atMs - startedAtMs;
  }

  mayWrite(candidate: Candidate): boolean {
    return candidate.writeUntilMs !== undefined && this.nowOf(candidate) < candidate.writeUntilMs;
  }

  /**
   * The candidate's next action: send, be served, or read the answer. Between two of them it may be stopped for ever.
   */
  step(index: number): void {
    const candidate = this.candidates[index];
    if (candidate === undefined) return;
    if (candidate.request === undefined) this.#send(candidate, index);
    else if (candidate.request.served === undefined) this.#serve(candidate.request);
    else this.#read(candidate, candidate.request.served, candidate.request.sentAtMs);
  }

  #send(candidate: Candidate, index: number): void {
    const { view, identity, writeUntilMs } = candidate;
    const sentAtMs = this.nowOf(candidate);
    const step = view === undefined ? 'wait' : leaseStep({ view, identity, writeUntilMs, nowMs: sentAtMs });
    if (step === 'lost') {
      this.candidates[index] = this.#born(candidate.wallSkewMs); // The process ends and starts anew.
      return;
    }
    const wallMs = WALL + this.atMs + candidate.wallSkewMs;
    const wanted =
      step === 'wait' ? undefined : claimedLease(view?.lease, { ref: REF, identity, times: TIMES, wallMs });
    candidate.request = { sentAtMs, wanted };
  }

  #serve(request: Request): void {
    const { wanted } = request;
    const current = wanted?.metadata.resourceVersion === this.lease?.metadata.resourceVersion;
    if (wanted !== undefined && current) {
      this.#refuseEarly(wanted);
      this.version += 1;
      this.writtenAtMs = this.atMs;
      this.lease = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: String(this.version) } };
    }
    request.served = { ok: wanted !== undefined && current, lease: this.lease };
  }

  /** What the former holder sent has the whole lease to land. */
  #refuseEarly({ spec }: Lease): void {
    const former = this.lease?.spec?.holderIdentity;
    if (former === undefined || former === spec?.holderIdentity) return;
    const sinceMs = this.atMs - this.writtenAtMs;
    if (sinceMs < TIMES.leaseDurationMs) throw new Error(`${spec?.holderIdentity} took the lease after ${sinceMs} ms`);
  }

  #read(candidate: Candidate, { ok, lease }: { ok: boolean; lease: Lease | undefined }, sentAtMs: number): void {
    candidate.view = observeLease(candidate.view, lease, this.nowOf(candidate));
    if (ok) candidate.writeUntilMs = sentAtMs + TIMES.renewDeadlineMs;
    candidate.request = undefined;
  }
}

describe('several processes on one lease', () => {
  const skews = fc.array(fc.integer({ min: -3_600_000, max: 3_600_000 }), { minLength: 2, maxLength: 4 });
  const moves = fc.array(
    fc.record({
      who: fc.nat({ max: 3 }),
      afterMs: fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 16_000 }), fc.integer({ min: 14_000, max: 15_200 })),
      steps: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 60, maxLength: 120 },
  );

  it('never write both, nor follow one another before the lease has run out, however they are delayed, stopped and misled by wall clocks', () => {
    let mostTransitions = 0;
    fc.assert(
      fc.property(skews, moves, (clocks, all) => {
        const world = new World(clocks);
        for (const { who, afterMs, steps } of all) {
          world.atMs += afterMs;
          for (let step = 0; step < steps; step += 1) world.step(who % clocks.length);
          const writers = world.candidates.filter((candidate) => world.mayWrite(candidate));
          if (writers.length > 1) throw new Error(`${writers.map(({ identity }) => identity).join(' and ')} write`);
        }
        mostTransitions = Math.max(mostTransitions, world.lease?.spec?.leaseTransitions ?? 0);
      }),
      { numRuns: 1_000 },
    );
    expect(mostTransitions).toBeGreaterThan(2);
  });
});
