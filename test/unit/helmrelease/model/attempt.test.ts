import { describe, expect, test } from '@jest/globals';
import { withAttempt } from '#controllers/helmrelease/model/status.js';

describe('withAttempt: as in Flux, what resets the counters', () => {
  const inputs = { generation: 1, revision: '1.0.0', configDigest: 'sha256:a' };
  const before = { ...withAttempt({}, inputs, false), failures: 2, installFailures: 2 };

  test.each([
    ['the same inputs keep', inputs, false, 2],
    ['a new generation resets', { ...inputs, generation: 2 }, false, undefined],
    ['a new chart version resets', { ...inputs, revision: '1.0.1' }, false, undefined],
    ['new values reset', { ...inputs, configDigest: 'sha256:b' }, false, undefined],
    ['a reset request resets', inputs, true, undefined],
  ])('%s the counters', (_name, next, reset, expected) => {
    const status = withAttempt(before, next, reset);
    expect(status.failures).toBe(expected);
    expect(status.installFailures).toBe(expected);
  });
});

test('the digest is that of the last attempt, and goes with a chart that is from no OCI artifact', () => {
  const inputs = { generation: 1, revision: '1.0.0', configDigest: 'sha256:a' };
  const status = withAttempt({}, { ...inputs, ociDigest: 'sha256:b' }, false);
  expect(status.lastAttemptedRevisionDigest).toBe('sha256:b');
  expect(withAttempt(status, inputs, false)).not.toHaveProperty('lastAttemptedRevisionDigest');
});
