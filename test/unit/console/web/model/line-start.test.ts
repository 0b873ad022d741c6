import { expect, test } from '@jest/globals';
import { lineStart } from '#console/web/model/yaml-line.js';

test.each([
  [1, 0],
  [2, 3],
  [3, 4],
  [4, 6],
  [9, 6],
])('line %d begins at %d', (line, start) => {
  expect(lineStart('ab\n\nc\n', line)).toBe(start);
});
