import { expect, test } from '@jest/globals';
import { retryMs, timeoutMs } from '#controllers/kustomization/model/timing.js';

test.each([
  [{ interval: '10m' }, 570_000],
  [{ interval: '10s' }, 30_000],
  [{ interval: '10m', timeout: '2m' }, 120_000],
])('the timeout of %j is %d ms', (spec, expected) => {
  expect(timeoutMs(spec)).toBe(expected);
});

test.each([
  [{ interval: '10m' }, 600_000],
  [{ interval: '10m', retryInterval: '5s' }, 5_000],
  [{ interval: '10m', retryInterval: '1ms' }, 1_000],
])('a failure of %j is retried after %d ms', (spec, expected) => {
  expect(retryMs(spec)).toBe(expected);
});
