import { expect, test } from '@jest/globals';
import { ConflictError, isServerTrouble, TransientError } from '#lib/errors.js';

test.each([
  ['is waited for', 60_000, 60_000],
  ['is never longer than 15 minutes', 99_999_999_000, 900_000],
  ['may be missing', undefined, undefined],
])('what a server asks to wait %s', (_title, retryAfterMs, expected) =>
  expect(new TransientError('busy', { retryAfterMs }).retryAfterMs).toBe(expected),
);

function answered(code: number): TransientError {
  return new TransientError('no', { status: { code, reason: '', causes: [] } });
}

test.each<[string, unknown, boolean]>([
  ['an inner error', answered(500), true],
  ['a gateway without an answer', answered(503), true],
  ['too many requests', answered(429), true],
  ['trouble that is the cause of an error', new Error('no', { cause: answered(500) }), true],
  ['what the server does not know how to do', answered(501), false],
  ['what is forbidden', answered(403), false],
  ['a stale write', new ConflictError('no', { status: { code: 409, reason: 'Conflict', causes: [] } }), false],
  ['no answer', new TransientError('no'), false],
  ['what is no error', 'no', false],
])('trouble of a server: %s', (_name, error, expected) => expect(isServerTrouble(error)).toBe(expected));
