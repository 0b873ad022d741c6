import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Breaker } from '#lib/retry/breaker.js';

const POLICY = { failures: 3, windowMs: 10_000, open: { baseMs: 1_000, capMs: 4_000 } };

/** Fails `times` times, one after the other, from `at` on; random 0 means: no jitter. */
function fail(breaker: Breaker, times: number, at: number): void {
  for (let time = 0; time < times; time += 1) breaker.failed(at + time, { now: at + time, random: 0 });
}

function opened(): Breaker {
  const breaker = new Breaker(POLICY);
  fail(breaker, 3, 0);
  return breaker;
}

describe('Breaker', () => {
  it('stays closed below the number of failures, and opens at it', () => {
    const breaker = new Breaker(POLICY);
    fail(breaker, 2, 0);
    expect(breaker.admit(5)).toEqual({ go: 'yes' });
    fail(breaker, 1, 10);
    expect(breaker.admit(11)).toEqual({ go: 'no', refusedForMs: 999 });
  });

  it('starts counting again after any response', () => {
    const breaker = new Breaker(POLICY);
    fail(breaker, 2, 0);
    breaker.succeeded();
    fail(breaker, 2, 10);
    expect(breaker.admit(20)).toEqual({ go: 'yes' });
  });

  it('does not add up failures that lie far apart', () => {
    const breaker = new Breaker(POLICY);
    for (const at of [0, 20_000, 40_000, 60_000]) fail(breaker, 1, at);
    expect(breaker.admit(60_001)).toEqual({ go: 'yes' });
  });

  it('counts requests that were under way together once', () => {
    const breaker = new Breaker(POLICY);
    for (let request = 0; request < 50; request += 1) breaker.failed(0, { now: 100 + request, random: 0 });
    expect(breaker.admit(200)).toEqual({ go: 'yes' });
  });

  it('lets one probe through when its time is over', () => {
    const breaker = opened();
    expect(breaker.admit(1_500)).toEqual({ go: 'probe' });
    expect(breaker.admit(1_501)).toEqual({ go: 'no', refusedForMs: 1_000 });
    breaker.succeeded();
    expect(breaker.admit(1_502)).toEqual({ go: 'yes' });
  });

  it('stays open longer after each probe that failed, up to the cap', () => {
    const breaker = opened();
    let now = 2;
    for (const openMs of [1_000, 2_000, 4_000, 4_000]) {
      expect(breaker.admit(now)).toEqual({ go: 'no', refusedForMs: openMs });
      now += openMs;
      expect(breaker.admit(now)).toEqual({ go: 'probe' });
      breaker.failed(now, { now, random: 0 });
    }
  });

  it('gives the place of a probe that was cancelled to the next request', () => {
    const breaker = opened();
    expect(breaker.admit(1_500)).toEqual({ go: 'probe' });
    breaker.abandoned();
    expect(breaker.admit(1_501)).toEqual({ go: 'probe' });
  });

  it('never refuses for longer than the cap, nor lets two through while it is open', () => {
    const step = fc.record({ after: fc.nat(5_000), answered: fc.boolean(), random: fc.double({ max: 0.99, min: 0 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const breaker = new Breaker(POLICY);
        let now = 0;
        for (const { after, answered, random } of steps) {
          now += after;
          const admission = breaker.admit(now);
          if (admission.go === 'no') {
            expect(admission.refusedForMs).toBeLessThanOrEqual(POLICY.open.capMs);
            continue;
          }
          if (admission.go === 'probe') expect(breaker.admit(now).go).toBe('no');
          if (answered) breaker.succeeded();
          else breaker.failed(now, { now, random });
        }
      }),
    );
  });
});
