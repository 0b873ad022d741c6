import { expect, test } from '@jest/globals';
import { CancelledError, ConflictError, TerminalError, TransientError, WaitingError } from '#lib/errors.js';
import { isMemberFailure, recordFailure, type Failures } from '#engine/member/member-failure.js';

function answered(code: number): TransientError {
  return new TransientError('no', { status: { code, reason: '', causes: [] } });
}

test.each<[string, unknown, boolean]>([
  ['a server that cannot be reached', new TransientError('no'), true],
  ['a credential that is not accepted', answered(401), true],
  ['the end of the pass', new CancelledError(), true],
  ['an object that is not allowed', answered(403), false],
  ['an object that is not valid', answered(422), false],
  ['a server with an inner error, which may concern one kind only', answered(500), false],
  ['a conflict', new ConflictError('no'), false],
  ['a kind that is not served', new TerminalError('NoKindMatch', 'no'), false],
  ['an object that keeps others waiting', new WaitingError('RecreateTimeout', 'no', { retryAfterMs: 1 }), false],
  ['a bug', new TypeError('no'), false],
  ['what is no error', 'no', false],
])('%s', (_sentence, error, expected) => expect(isMemberFailure(error)).toBe(expected));

function failures(): Failures & { failures: { subject: string; error: Error }[] } {
  return { failures: [], stopped: false };
}

test('failures of objects do not stop a batch; the first of the member does, and its others are the same one', () => {
  const progress = failures();
  recordFailure(progress, 'ConfigMap/a', answered(422));
  expect(progress.stopped).toBe(false);
  recordFailure(progress, 'ConfigMap/b', new TransientError('gone'));
  recordFailure(progress, 'ConfigMap/c', new TransientError('gone'));
  expect(progress.stopped).toBe(true);
  expect(progress.failures.map(({ subject }) => subject)).toEqual(['ConfigMap/a', 'ConfigMap/b']);
});

test("an object's own failure that ends after the member's still shows", () => {
  const progress = failures();
  recordFailure(progress, 'ConfigMap/a', new TransientError('gone'));
  recordFailure(progress, 'ConfigMap/b', answered(403));
  expect(progress.failures).toHaveLength(2);
});

test('what is no error is recorded as one', () => {
  const progress = failures();
  recordFailure(progress, 'ConfigMap/a', 'text');
  expect(progress.failures).toEqual([{ subject: 'ConfigMap/a', error: new Error('text') }]);
});
