import { expect, test } from '@jest/globals';
import { indentBelow, isOpenEnded, lineOf } from '#console/web/model/yaml-line.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';

test.each<[string, string, object]>([
  ['a key and its value', 'a: b # c', { openers: [{ column: 0, key: 'a' }], colon: 2, rest: 'b # c', restColumn: 3 }],
  ['dashes', '- - a:', { openers: [{ column: 0 }, { column: 2 }, { column: 4, key: 'a' }], colon: 6, rest: '' }],
  ['a word', '  a b', { openers: [], colon: 0, rest: 'a b', restColumn: 2 }],
  ['a colon within a word', 'a:b c: d', { openers: [{ column: 0, key: 'a:b c' }] }],
  ['quotes', `'a''b: c': d`, { openers: [{ column: 0, key: "a'b: c" }] }],
  ['a number below zero', '- -1', { openers: [{ column: 0 }], rest: '-1' }],
  ['a comment', '# a: b', { openers: [], colon: 0 }],
])('reads %s', (_, text, line) => expect(lineOf(text)).toMatchObject(line));

test.each([
  ['', true],
  ['# c', true],
  ['&a !!map # c', true],
  ['|', false],
  ['b', false],
])('behind a key, %j leaves its value to the lines below: %s', (rest, isOpen) =>
  expect(isOpenEnded(rest)).toBe(isOpen),
);

test.each([
  ['a: b', 0],
  ['  a: b', 2],
  ['  a:', 4],
  ['  a: # c', 4],
  ['  a: |-', 4],
  ['- a: b', 2],
  ['- a:', 4],
  ['  - b', 4],
  ['    ', 4],
  ['  some text', 2],
])('below %j, a line begins with %i blanks', (before, blanks) => expect(indentBelow(before)).toHaveLength(blanks));

test('the longest line takes no time', () => {
  const line = `${' '.repeat(450_000)}- ${'a '.repeat(225_000)}`;
  expect(cpuMsOf(() => indentBelow(line))).toBeLessThan(500);
});
