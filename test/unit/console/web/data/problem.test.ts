import { describe, expect, test } from '@jest/globals';
import { changeProblemOf, inOneText, onceProblemOf, problemOf } from '#console/web/data/model/problem.js';

describe('problemOf', () => {
  test.each([
    ['no answer', { text: 'TypeError: Failed to fetch' }, 'disconnected', /fairlead console/],
    ['a Status', { code: 401, text: '{"message":"the token is not valid"}' }, 'login', /^the token is not valid$/],
    ['text', { code: 403, text: 'user "eve" may not' }, 'forbidden', /^user "eve" may not$/],
    ['a missing object', { code: 404, text: '{"message":"applications \\"web\\" not found"}' }, 'missing', /"web"/],
    ['a limit', { code: 429, text: 'too many requests: wait 1 minute' }, 'busy', /wait/],
    ['a start', { code: 503, text: 'starting' }, 'starting', /starting/],
    ['a failure without a word', { code: 500, text: '' }, 'broken', /^It answered 500\.$/],
    ['a message that is no text', { code: 500, text: '{"message":{}}' }, 'broken', /message/],
    ['JSON that is no object', { code: 502, text: 'null' }, 'broken', /^null$/],
    ['a page of a proxy', { code: 502, text: '<h1>Bad gateway</h1>'.repeat(1_000) }, 'broken', /^.{500}$/],
  ])('of %s', (_, failure, kind, text) => {
    const problem = problemOf(failure);
    expect(problem.kind).toBe(kind);
    expect(problem.text).toMatch(text);
    expect(problem.title).not.toBe('');
  });
});

test.each([
  [{ text: 'TypeError: Failed to fetch' }, /^The server does not answer\. Check that .* and try again\.$/],
  [{ code: 400, text: 'the token is too long' }, /^the token is too long$/],
])('who asked once, for nothing that changes anything, and got %j, may try again', (failure, text) => {
  expect(inOneText(onceProblemOf(failure))).toMatch(text);
});

describe('changeProblemOf', () => {
  test.each([
    ['no answer', { text: 'TypeError: Failed to fetch' }, 'The server does not answer', /^Nobody knows whether/],
    ['a Status', { code: 409, text: '{"message":"web: it is not pinned"}' }, 'Not done', /^web: it is not pinned$/],
    ['a refusal', { code: 403, text: '{"message":"may not"}' }, 'You may not do this', /^may not$/],
    ['a field', { code: 422, text: '{"message":"spec.x is odd"}' }, 'Not accepted', /spec\.x/],
    ['a body that is too large', { code: 413, text: '' }, 'Not accepted', /^It answered 413\.$/],
    ['a session that is over', { code: 401, text: 'no' }, 'Sign in', /no/],
    ['anything else', { code: 500, text: 'oops' }, 'The server could not answer', /oops/],
  ])('of %s', (_, failure, title, text) => {
    expect(changeProblemOf(failure)).toMatchObject({ title, text: expect.stringMatching(text) });
  });
});
