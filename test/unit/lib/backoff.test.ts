import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { backoffDelay } from '#lib/retry/retry.js';

const policy = { baseMs: 100, capMs: 1_000 };

describe('backoffDelay', () => {
  it.each([
    [0, 100],
    [1, 200],
    [3, 800],
    [4, 1_000],
    [1_000, 1_000],
  ])('try %d waits up to %d ms', (attempt, expected) => {
    expect(backoffDelay(policy, attempt, 0)).toBe(expected);
  });

  it('jitters down by at most half and never passes the cap', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, random) => {
        const full = backoffDelay(policy, attempt, 0);
        const delay = backoffDelay(policy, attempt, random);
        expect(delay).toBeGreaterThanOrEqual(full / 2 - 1);
        expect(delay).toBeLessThanOrEqual(full);
      }),
    );
  });

  it('never waits less after one failure more, at the same throw of the dice', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const rule = fc.record({ baseMs: fc.integer({ min: 1, max: 10_000 }), capMs: fc.integer({ min: 1, max: 1e7 }) });
    fc.assert(
      fc.property(rule, fc.nat(100), random, (each, attempt, dice) => {
        expect(backoffDelay(each, attempt + 1, dice)).toBeGreaterThanOrEqual(backoffDelay(each, attempt, dice));
      }),
    );
  });
});
