import { expect, test } from '@jest/globals';
import { doneWords, urlOf } from '#console/web/change/model/change.js';

test('a dry run goes to the same URL', () => {
  const change = { method: 'DELETE', path: '/a', query: { resourceVersion: '7&8' } } as const;
  expect(urlOf(change, false)).toBe('/a?resourceVersion=7%268');
  expect(urlOf(change, true)).toBe('/a?resourceVersion=7%268&dryRun=All');
  expect(urlOf({ method: 'POST', path: '/a' }, false)).toBe('/a');
});

test.each([
  ['resumed (dry run: nothing is written)', 'Resumed.'],
  ['resumed', 'Resumed.'],
  ['', ''],
])('%j is said as %j', (done, words) => {
  expect(doneWords(done)).toBe(words);
});
