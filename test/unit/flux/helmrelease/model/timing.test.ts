import { expect, test } from '@jest/globals';
import { actionTimeoutMs, intervalMs } from '../../../../../controllers/flux/helmrelease/model/timing.js';
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
