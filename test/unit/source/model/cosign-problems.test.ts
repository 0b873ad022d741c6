import { expect, test } from '@jest/globals';
import { shownProblems } from '#controllers/source/cosign/verify.js';

test.each([
  ['none', [], ''],
  ['each once, and the first three', ['a', 'b', 'a', 'c', 'd'], ' (a; b; c)'],
  ['each on one line, without what a terminal obeys', ['a\n\u001b[2Jb\u202e'], ' (a [2Jb)'],
  ['the beginning of a long one', ['x'.repeat(1_000)], ` (${'x'.repeat(300)})`],
])('problems are shown: %s', (_title, problems, shown) => expect(shownProblems(problems)).toBe(shown));
