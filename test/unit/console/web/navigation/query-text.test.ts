import { expect, test } from '@jest/globals';
import { queryText } from '#console/web/navigation/model/query.js';

test.each<[Record<string, string>, string]>([
  [{}, ''],
  [{ search: '' }, ''],
  [{ search: 'a&b', kind: '', page: '2' }, '?search=a%26b&page=2'],
])('%o is %s', (texts, expected) => {
  expect(queryText(texts)).toBe(expected);
});
