import { expect, test } from '@jest/globals';
import { intervalMs, retryIntervalMs } from '#engine/flux/model/timing.js';

test('intervals are spread by at most 5 % to each side, the same for one object', () => {
  const spec = { interval: '100s' };
  for (const uid of ['a', 'b', '3d2c-11', 'f'.repeat(36)]) {
    expect(intervalMs(spec, uid)).toBe(intervalMs(spec, uid));
    expect(Math.abs(intervalMs(spec, uid) - 100_000)).toBeLessThanOrEqual(5_000);
  }
  expect(intervalMs(spec, 'a')).not.toBe(intervalMs(spec, 'b'));
});

test.each(['0s', '1ms', '0h0m'])('an interval of %s does not cause a hot loop', (interval) => {
  expect(intervalMs({ interval }, 'a')).toBe(1_000);
  expect(retryIntervalMs(interval)).toBe(1_000);
});

test('an interval of a hundred years stays a number of milliseconds', () => {
  const wait = intervalMs({ interval: '876000h' }, 'a');
  expect(Math.abs(wait / (876_000 * 3_600_000) - 1)).toBeLessThanOrEqual(0.05);
  expect(Number.isSafeInteger(wait)).toBe(true);
});

test('a failed action is tried again after 5 minutes, or as asked', () => {
  expect([retryIntervalMs(undefined), retryIntervalMs('1m')]).toEqual([300_000, 60_000]);
});
