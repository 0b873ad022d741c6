import { expect, test } from '@jest/globals';
import {
  actionTimeoutMs,
  intervalMs,
  retryIntervalMs,
} from '../../../../../controllers/flux/helmrelease/model/timing.js';
import { helmRelease } from './builders.js';

test.each([
  ['its own', { timeout: '1m', install: { timeout: '10s' } }, 10_000],
  ['that of the release', { timeout: '1m' }, 60_000],
  ['5 minutes', {}, 300_000],
])('the timeout of an action is %s', (_name, spec, expected) => {
  expect(actionTimeoutMs(helmRelease(spec).spec, 'install')).toBe(expected);
});

test('intervals are spread by at most 5 % to each side, the same for one object', () => {
  const { spec } = helmRelease({ interval: '100s' });
  for (const uid of ['a', 'b', '3d2c-11', 'f'.repeat(36)]) {
    expect(intervalMs(spec, uid)).toBe(intervalMs(spec, uid));
    expect(Math.abs(intervalMs(spec, uid) - 100_000)).toBeLessThanOrEqual(5_000);
  }
  expect(intervalMs(spec, 'a')).not.toBe(intervalMs(spec, 'b'));
});

test.each(['0s', '1ms', '0h0m'])('an interval of %s is no hot loop', (interval) => {
  expect(intervalMs(helmRelease({ interval }).spec, 'a')).toBe(1_000);
  expect(retryIntervalMs(interval)).toBe(1_000);
});

test('an interval of a hundred years stays a number of milliseconds', () => {
  const wait = intervalMs(helmRelease({ interval: '876000h' }).spec, 'a');
  expect(Math.abs(wait / (876_000 * 3_600_000) - 1)).toBeLessThanOrEqual(0.05);
  expect(Number.isSafeInteger(wait)).toBe(true);
});

test('a failed action is tried again after 5 minutes, or as asked', () => {
  expect([retryIntervalMs(undefined), retryIntervalMs('1m')]).toEqual([300_000, 60_000]);
});
