import { expect, test } from '@jest/globals';
import { actionTimeoutMs } from '#controllers/helmrelease/model/timing.js';
import { helmRelease } from './builders.js';

test.each([
  ['its own', { timeout: '1m', install: { timeout: '10s' } }, 10_000],
  ['that of the release', { timeout: '1m' }, 60_000],
  ['5 minutes', {}, 300_000],
])('the timeout of an action is %s', (_name, spec, expected) => {
  expect(actionTimeoutMs(helmRelease(spec).spec, 'install')).toBe(expected);
});
