import { describe, expect, it } from '@jest/globals';
import { CancelledError, ConflictError, TransientError } from '#lib/errors.js';
import { inlineWait, MAX_INLINE_WAIT_MS } from '#lib/retry/retry.js';

function answered(code: number, retryAfterMs?: number): TransientError {
  return new TransientError('refused', { status: { code, reason: '', causes: [] }, retryAfterMs });
}

describe('when a request is sent again at once', () => {
  it.each([
    ['a throttled write comes again after the backoff', answered(429), 'POST', 50],
    ['a throttled write waits as long as the server says', answered(429, 2_000), 'POST', 2_000],
    ['a write that the server asks to have again is sent again', answered(503, 1_000), 'PATCH', 1_000],
    ['a write that timed out in the server may have worked: not again', answered(504), 'POST', undefined],
    ['a write that a gateway lost may have worked: not again', answered(502), 'PATCH', undefined],
    ['a write on a broken connection may have worked: not again', new TransientError('reset'), 'PUT', undefined],
    ['a read on a broken connection comes again', new TransientError('reset'), 'GET', 50],
    ['a read that a gateway lost comes again', answered(502), 'GET', 50],
    ['a refusal is an answer', answered(422), 'GET', undefined],
    ['an internal error is an answer', answered(500), 'GET', undefined],
    ['a stale write is for the pass to look at', new ConflictError('stale'), 'PUT', undefined],
    ['a shutdown ends the request', new CancelledError(), 'GET', undefined],
    ['a bug is not retried', new TypeError('undefined is not'), 'GET', undefined],
  ])('%s', (_rule, error, method, waitMs) => {
    expect(inlineWait(error, method, 50)).toBe(waitMs);
  });

  it('leaves a long wait to the worker, which holds no connection and no pass for it', () => {
    expect(inlineWait(answered(429, MAX_INLINE_WAIT_MS + 1), 'GET', 50)).toBeUndefined();
  });
});
