import { describe, expect, test } from '@jest/globals';
import { failuresText } from '#engine/flux/objects.js';
import { problemOf } from '#engine/flux/reconcile.js';
import { CancelledError, ConflictError, TerminalError, TransientError, WaitingError } from '#lib/errors.js';
import { failureOf, isInterruption, reasonText } from '#engine/member/member-failure.js';

const refused = new TransientError('cannot apply ConfigMap/web', { cause: new Error('it is immutable') });

test('the text of an error lists its causes from the outside in, without repetition', () => {
  expect(reasonText(refused)).toBe('cannot apply ConfigMap/web: it is immutable');
  expect(reasonText(new Error('it broke: no space', { cause: new Error('no space') }))).toBe('it broke: no space');
  expect(reasonText('thrown')).toBe('thrown');
});

test.each([
  ['once', 'ConfigMap/shop/web', 'cannot apply ConfigMap shop/web: no', 'ConfigMap/shop/web: no'],
  ['of a cluster', 'ClusterRole/web', 'cannot delete ClusterRole web: no', 'ClusterRole/web: no'],
  ['with what was not allowed', 'A/shop/web', 'cannot read A shop/web: no', 'A/shop/web: cannot read A shop/web: no'],
  ['and another one with it', 'A/web', 'cannot apply B web: no', 'A/web: cannot apply B web: no'],
  ['and nothing of the server', 'A/web', 'no: cannot apply A web: no', 'A/web: no: cannot apply A web: no'],
])('the object that a server refuses is named %s', (_title, subject, text, expected) => {
  expect(failuresText([{ subject, error: new TransientError(text) }])).toBe(expected);
});

describe('an error', () => {
  test.each<[string, Error, boolean]>([
    ['of a shutdown', new CancelledError(), true],
    ['of a stale read', new ConflictError('it changed'), true],
    ['of a cluster that does not answer', new TransientError('x', { reason: 'ClusterUnreachable' }), true],
    ['that is a bug', new TypeError('x is undefined'), true],
    ['of an object that was refused', refused, false],
    ['of a spec', new TerminalError('KubeConfigInvalid', 'x'), false],
  ])('%s interrupts, or is a failure of what is applied', async (_name, error, interrupts) => {
    expect(isInterruption(error)).toBe(interrupts);
    const told = failureOf(() => Promise.reject(error));
    if (interrupts) await expect(told).rejects.toBe(error);
    else expect(await told).toBe(reasonText(error));
  });

  test.each<[string, unknown, ReturnType<typeof problemOf>]>([
    [
      'without a reason of its own gets that of its pass',
      refused,
      { reason: 'ReconcileError', message: 'cannot apply ConfigMap/web: it is immutable', stalled: false },
    ],
    [
      'that waits is retried',
      new WaitingError('SourceNotReady', 'no artifact', { retryAfterMs: 1 }),
      { reason: 'SourceNotReady', message: 'no artifact', stalled: false },
    ],
    [
      'that retrying does not help stalls',
      new TerminalError('KubeConfigInvalid', 'x'),
      { reason: 'KubeConfigInvalid', message: 'x', stalled: true },
    ],
    [
      'that is a bug does not show itself',
      new TypeError('secret is undefined'),
      { reason: 'InternalError', message: 'an unexpected error: see the controller log', stalled: false },
    ],
  ])('%s', (_name, error, problem) => {
    expect(problemOf(error, 'ReconcileError')).toEqual(problem);
  });
});
