import { expect, test } from '@jest/globals';
import { oneLine } from '#lib/text/text.js';

test.each([
  ['has no breaks', ' a\n\tb\u2028c ', 'a b c'],
  ['tells a terminal nothing', '\u001b]0;title\u0007a\u009b31m', ']0;title a 31m'],
  ['keeps its direction', 'a\u202eb', 'a b'],
  ['is well formed', 'a\ud800', 'a'],
])('one line %s', (_title, text, expected) => expect(oneLine(text)).toBe(expected));
