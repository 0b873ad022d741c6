import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hanging, harmlessJson, plainLines, widthOf, wrap } from '#cli/output/model/text.js';
import { oneLine } from '#lib/text/text.js';

describe('the width of a line', () => {
  test.each([
    ['of ASCII is its length', 'web 1.4.2', 9],
    ['is two cells for a Han character', '应用', 4],
    ['is two cells for an emoji', '🚢', 2],
    ['is none for a combining mark', 'e\u0301', 1],
    ['is none for colours', '\u001b[31mred\u001b[39m', 3],
    ['is one for a symbol', '✗', 1],
  ])('%s', (_, line, width) => expect(widthOf(line)).toBe(width));
});

describe('one line', () => {
  test.each([
    ['has no line breaks', 'one\n\ttwo', 'one two'],
    ['has no escape sequence of a message', '\u001b[2J\u009bgone\u0007', '[2J gone'],
    ['keeps its direction', 'a\u202eb', 'a b'],
    ['is empty for blanks', ' \n', ''],
  ])('%s', (_, text, expected) => expect(oneLine(text)).toBe(expected));
});

test('plain lines keep their blanks and breaks, and nothing that a terminal obeys', () => {
  expect(plainLines('one:\n  two\u001b[2J\r\u202e')).toBe('one:\n  two [2J ');
});

test('JSON keeps its meaning, and has nothing that a terminal obeys', () => {
  expect(harmlessJson(JSON.stringify('a\u009b31m\u202e\u{e0001}b'))).toBe('"a\\u009b31m\\u202e\\udb40\\udc01b"');
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, key) => {
      const json = harmlessJson(JSON.stringify({ [key]: value }, undefined, 2));
      expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify({ [key]: value }));
      expect(plainLines(json)).toBe(json);
    }),
  );
});

test('a line after a beginning goes on below itself, one word at least on each line', () => {
  expect(hanging('Used by:  ', 'a/web, a/shop', 18)).toEqual(['Used by:  a/web,', '          a/shop']);
  expect(hanging('Used by:  ', 'a b', 4)).toEqual(['Used by:  a', '          b']);
  expect(hanging('Used by:  ', 'a/web, a/shop')).toEqual(['Used by:  a/web, a/shop']);
});

describe('wrap', () => {
  test.each([
    ['keeps a line that fits', 'one two', 7, ['one two']],
    ['breaks between words', 'one two three', 8, ['one two', 'three']],
    ['splits only a word longer than a line', 'a https://example/x b', 10, ['a', 'https://ex', 'ample/x b']],
    ['keeps a line where no line ends', 'one  two', Infinity, ['one  two']],
    ['gives nothing for an empty line', '', 10, []],
    ['never loops where not even one character fits', '应用', 1, ['应', '用']],
  ])('%s', (_, line, width, expected) => expect(wrap(line, width)).toEqual(expected));

  test('takes time that grows with the length of the line only', () => {
    const line = '应 '.repeat(200_000).trim();
    expect(wrap(line, 1_000_000)).toEqual([line]);
  }, 10_000);

  test('loses no character, and no line is too wide', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 2, max: 40 }), (text, width) => {
        const line = oneLine(text);
        const lines = wrap(line, width);
        expect(lines.join('').replaceAll(' ', '')).toBe(line.replaceAll(' ', ''));
        expect(lines.every((each) => widthOf(each) <= width)).toBe(true);
      }),
    );
  });
});
