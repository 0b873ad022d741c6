import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { takeToken, type TokenBucket } from '#lib/retry/token-bucket.js';

const RULE = { burst: 3, refill: 1_000 };

/** Which of the takes at these times got a token. */
function takes(times: readonly number[]): boolean[] {
  let bucket: TokenBucket | undefined;
  return times.map((now) => {
    const after = takeToken(RULE, bucket, now);
    bucket = after;
    return after.taken;
  });
}

describe('takeToken', () => {
  it.each([
    { rule: 'gives the burst at once, and no more', times: [0, 0, 0, 0], expected: [true, true, true, false] },
    {
      rule: 'gives one back after its time',
      times: [0, 0, 0, 999, 1_000, 1_001],
      expected: [true, true, true, false, true, false],
    },
    {
      rule: 'fills up to the burst only',
      times: [0, 90_000, 90_000, 90_000, 90_000],
      expected: [true, true, true, true, false],
    },
    { rule: 'does not mind a clock that goes back', times: [5_000, 0, 0, 0], expected: [true, true, true, false] },
  ])('$rule', ({ times, expected }) => {
    expect(takes(times)).toEqual(expected);
  });

  it('never gives more than the burst and what came back since', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 2_500 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(gaps, (each) => {
        let now = 0;
        const times = each.map((gap) => (now += gap));
        const given = takes(times).filter(Boolean).length;
        expect(given).toBeLessThanOrEqual(RULE.burst + (now - (times[0] ?? 0)) / RULE.refill);
      }),
    );
  });
});
