import { expect, test } from '@jest/globals';
import { sessionOverWords } from '#console/web/session/model/one-time-code.js';

test.each([
  ['nobody', '', /^You were signed out: sign in again to continue\. What you did as alice is kept for that user\.$/],
  ['another one', 'bob', /^bob has signed in .* Sign in as alice to continue here\. What you did as alice is kept/],
])('what alice reads when %s is signed in', (_, other, words) => {
  expect(sessionOverWords('alice', other)).toMatch(words);
});
