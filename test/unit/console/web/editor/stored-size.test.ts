import { expect, test } from '@jest/globals';
import { sizeWords } from '#console/web/editor/model/application-text.js';

/** Characters between the quotes of a map with one key of one letter. */
const MOST = 1_572_864 - '{"a":""}'.length;

test.each([
  ['as long as may be', 'x'.repeat(MOST), ''],
  ['one byte more', 'x'.repeat(MOST + 1), /^It has 1\.51 MiB, and .*1\.5 MiB.*`valuesFrom`.*\.$/],
  ['bytes, not characters', 'ü'.repeat(MOST / 2 + 1), /^It has 1\.51 MiB/],
])('an object is measured as it is stored: %s', (_, a, words) => {
  expect(sizeWords({ a })).toMatch(words);
  expect(sizeWords({ a }) === '').toBe(words === '');
});
