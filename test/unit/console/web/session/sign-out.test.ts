import { expect, test } from '@jest/globals';
import { notSignedOut } from '#console/web/session/model/one-time-code.js';

test.each([
  [{ text: 'TypeError: Failed to fetch' }, 'You may still be signed in: The server does not answer. Sign out again.'],
  [{ code: 500, text: 'oops.' }, 'You may still be signed in: oops. Sign out again.'],
  [{ code: 429, text: '{"message":"too many"}' }, 'You may still be signed in: too many. Sign out again.'],
])('a sign-out that is answered by %j', (failure, words) => {
  expect(notSignedOut(failure)).toBe(words);
});
