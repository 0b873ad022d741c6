import { describe, expect, test } from '@jest/globals';
import { printGoNumber, printGoString } from '#controllers/helmrelease/model/go-yaml-scalar.js';

const PLACE = { indent: 2, column: 3, key: false };
const WORDS = 'word '.repeat(30).trim();

describe('printGoString', () => {
  test.each<[name: string, text: string, printed: string]>([
    ['bare text', 'nginx', 'nginx'],
    ['an empty string', '', '""'],
    ['a word that reads as a boolean', 'Yes', '"Yes"'],
    ['a word that does not', 'yEs', 'yEs'],
    ['an octal number', '0644', '"0644"'],
    ['a number with underscores', '1_000', '"1_000"'],
    ['a time in base 60', '12:30', '"12:30"'],
    ['a date', '2001-01-01', '"2001-01-01"'],
    ['a version', '1.2.3', '1.2.3'],
    ['an indicator at the start', '- a', "'- a'"],
    ['an indicator inside', 'a: b', "'a: b'"],
    ['a quote', "'a'", "'''a'''"],
    ['a space at an end', 'a ', "'a '"],
    ['a tab', 'a\tb', '"a\\tb"'],
    ['a control character', '\u0001', '"\\x01"'],
    ['a carriage return', 'a\rb', '"a\\rb"'],
    ['text beyond the basic plane', '😀', '"\\U0001F600"'],
    ['a byte order mark, behind which all is escaped', '\ufeffa é', '"\\uFEFF\\x61\\x20é"'],
    ['a line separator', 'a\u2028b', "'a\u2028  b'"],
    ['a line separator and a space', 'a\u2028 b', '"a\\L b"'],
    ['lines with a line separator', 'a\u2028b\nc', '|-\n  a\u2028  b\n  c'],
    ['lines without a break at the end', 'a\nb', '|-\n  a\n  b'],
    ['lines with one', 'a\nb\n', '|\n  a\n  b'],
    ['lines with more', 'a\n\n', '|+\n  a\n'],
    ['only a break', '\n', '|2+\n'],
    ['lines that start with spaces', '  a\nb', '|2-\n    a\n  b'],
    ['lines that end with a space', 'a\nb ', '"a\\nb "'],
  ])('%s', (_name, text, printed) => expect(printGoString(text, PLACE)).toBe(printed));

  test('long text is broken at the first single space behind the width', () => {
    const lines = printGoString(WORDS, PLACE).split('\n');
    expect(lines.map((line) => line.length)).toEqual([79, 71]);
    expect(lines[1]).toMatch(/^ {2}word/);
  });

  test('a quote counts twice, as it is written', () => {
    const text = `: ${"' ".repeat(10)}${WORDS}`;
    const lines = printGoString(text, PLACE).split('\n');
    expect(lines.map((line) => line.length)).toEqual([82, 81, 22]);
  });

  test('a key is never broken', () => {
    expect(printGoString(WORDS, { ...PLACE, key: true })).toBe(WORDS);
    expect(printGoString('a\nb', { ...PLACE, key: true })).toBe('"a\\nb"');
  });
});

describe('printGoNumber', () => {
  test.each([
    [0, '0'],
    [-0, '0'],
    [1.5, '1.5'],
    [-3, '-3'],
    [100_000, '100000'],
    [999_999, '999999'],
    [1_000_000, '1000000'],
    [-1_234_567, '-1234567'],
    [2 ** 63, '9223372036854775808'],
    [-(2 ** 63), '-9223372036854775808'],
    [2 ** 64, '1.8446744073709552e+19'],
    [1_234_567.5, '1.2345675e+06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1e100, '1e+100'],
  ])('%d', (value, printed) => expect(printGoNumber(value)).toBe(printed));
});
