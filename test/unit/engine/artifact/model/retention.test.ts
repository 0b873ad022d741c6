import { expect, test } from '@jest/globals';
import { expiredFiles } from '#engine/artifact/model/limits.js';

const file = (path: string, sinceMs: number): { path: string; sinceMs: number } => ({ path, sinceMs });

test.each([
  ['nothing was replaced', [], []],
  ['a file that was replaced a moment ago stays', [file('a', 100_000)], []],
  ['a file that was replaced not quite a minute ago stays', [file('a', 40_001)], []],
  ['a file that was replaced a minute ago goes', [file('a', 40_000)], ['a']],
  ['of two the one that was replaced last stays', [file('a', 99_000), file('b', 99_001)], ['a']],
  ['both go when both are old', [file('a', 1), file('b', 2)], ['b', 'a']],
  ['of two that were found at one time one stays', [file('a', 100_000), file('b', 100_000)], ['b']],
])('%s', (_title, replaced, expired) => {
  expect(expiredFiles(replaced, 100_000)).toEqual(expired);
});
