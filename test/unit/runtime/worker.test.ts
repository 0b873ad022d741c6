import { describe, expect, it } from '@jest/globals';
import {
  CancelledError,
  ConflictError,
  PartialError,
  TerminalError,
  TransientError,
  WaitingError,
} from '#lib/errors.js';
import { requeueAfterError, requeueAfterResult } from '#runtime/queue/worker.js';

describe('what becomes of a key after its pass', () => {
  it('forgets it after a success, or requeues it when the reconciliation requested that', () => {
    expect(requeueAfterResult({})).toEqual({ action: 'forget' });
    expect(requeueAfterResult({ requeueAfterMs: 500 })).toEqual({ action: 'after', delayMs: 500 });
  });

  it.each([0, 1, 99])('is not requeued after %d ms: a mistake must not become a busy loop', (ms) => {
    expect(requeueAfterResult({ requeueAfterMs: ms })).toEqual({ action: 'after', delayMs: 100 });
    const error = new WaitingError('Wait', 'wait', { retryAfterMs: ms });
    expect(requeueAfterError(error, 0)).toEqual({ action: 'after', delayMs: 100 });
  });

  it.each([
    ['a violation waits for a change', new TerminalError('Bad', 'bad'), { action: 'forget' }],
    [
      'a wait is a fixed interval',
      new WaitingError('Wait', 'wait', { retryAfterMs: 100 }),
      { action: 'after', delayMs: 100 },
    ],
    ['a failure backs off', new TransientError('oops'), { action: 'backoff', atLeastMs: 0 }],
    ['a server may ask for more', new TransientError('429', { retryAfterMs: 9 }), { action: 'backoff', atLeastMs: 9 }],
    ['a stale write comes again at once, rate limited', new ConflictError('409'), { action: 'backoff', atLeastMs: 0 }],
    ['a shutdown leaves no trace', new CancelledError(), { action: 'drop' }],
    ['a bug is retried like a failure', new TypeError('undefined is not'), { action: 'backoff', atLeastMs: 0 }],
    ['something thrown that is no error, too', 'text', { action: 'backoff', atLeastMs: 0 }],
    [
      'of several failures the worst decides',
      new PartialError('2 of 3', [new TerminalError('Bad', 'bad'), new TransientError('oops', { retryAfterMs: 7 })]),
      { action: 'backoff', atLeastMs: 7 },
    ],
    [
      'of several backoffs the longest that a server asked for is honoured',
      new PartialError('2 of 2', [new TransientError('a'), new TransientError('b', { retryAfterMs: 7 })]),
      { action: 'backoff', atLeastMs: 7 },
    ],
    [
      'of several waits the shortest is kept',
      new PartialError('2 of 2', [
        new WaitingError('Wait', 'a', { retryAfterMs: 200 }),
        new WaitingError('Wait', 'b', { retryAfterMs: 150 }),
      ]),
      { action: 'after', delayMs: 150 },
    ],
    [
      'several violations are a violation',
      new PartialError('2 of 2', [new TerminalError('A', 'a'), new TerminalError('B', 'b')]),
      { action: 'forget' },
    ],
  ])('%s', (_rule, error, verdict) => {
    expect(requeueAfterError(error, 0)).toEqual(verdict);
  });

  it('spreads fixed waits by up to a tenth', () => {
    const error = new WaitingError('Wait', 'wait', { retryAfterMs: 100 });
    expect(requeueAfterError(error, 0.5)).toEqual({ action: 'after', delayMs: 105 });
  });
});
