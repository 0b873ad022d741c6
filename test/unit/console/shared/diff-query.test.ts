import { expect, test } from '@jest/globals';
import { diffQueryOf } from '#console/server/v1/history.js';

test('two revisions are read', () => {
  expect(diffQueryOf({ from: '1', to: '12' })).toEqual({ from: 1, to: 12 });
});

test.each([
  [{ from: '1' }, /to: it must be the number of a revision/],
  [{ from: '0', to: '1' }, /from: it must be/],
  [{ from: ['1', '2'], to: '1' }, /from: it must be/],
  [{ from: '1', to: '99999999999' }, /to: it must be/],
  [{ from: '1', to: '2', than: '3' }, /"than" is no key of this query/],
])('%o is refused', (query, problem) => {
  expect(() => diffQueryOf(query)).toThrow(problem);
});
