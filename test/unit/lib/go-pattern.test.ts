import { expect, test } from '@jest/globals';
import { goPattern, PatternBudget } from '#lib/text/go-pattern.js';
import { cpuMsOf } from '../../support/cpu-time.js';

test.each([
  ['b+', 'abbc', true],
  ['d', 'abbc', false],
  ['', 'abbc', true],
])('%j is found anywhere in %s: %s', (expression, text, expected) => {
  expect(goPattern(expression)(text)).toBe(expected);
});

test.each([
  ['ab+c', 'abbc', true],
  ['b+', 'abbc', false],
  ['a|abbc', 'abbc', true],
])('%j matches the whole of %s: %s', (expression, text, expected) => {
  expect(goPattern(expression, { whole: true })(text)).toBe(expected);
});

test.each([
  ['(', '"(" is not a regular expression'],
  ['a'.repeat(4_097), 'a pattern has more than 4096 characters'],
])('what is none is refused', (expression, message) => {
  const compile = (): unknown => goPattern(expression);
  expect(compile).toThrow(RangeError);
  expect(compile).toThrow(message);
});

const TOO_LARGE = /^the pattern ".*" has more than 5000 parts, each counted as often as it is repeated$/;

test.each([
  String.raw`[\pL\pN]{1000}`.repeat(200),
  String.raw`[\pL\pN]{1000}`,
  '[a-z]{1000}'.repeat(6),
  '((a{10}){10}){10}((a{10}){10}){10}((a{10}){10}){10}((a{10}){10}){10}((a{10}){10}){10}',
  String.raw`(?i)\pL`.repeat(500),
  // `(?i)` makes the compiler look up each character of a range.
  `(?i)[${'B-\u{1E942}'.repeat(1_000)}]`,
  String.raw`(?i)[\x{42}-\x{1E942}]`.repeat(30),
])('%s is refused before it is compiled', (expression) => {
  const cost = cpuMsOf(() => expect(() => goPattern(expression)).toThrow(TOO_LARGE));
  expect(cost).toBeLessThan(200);
});

test.each([
  String.raw`\d{4}-\d{2}`,
  'a{0,64}',
  String.raw`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$`,
  String.raw`[\p{L}\p{N}_-]{1,253}`,
  '.{0,1000}',
  Array.from({ length: 400 }, (_, index) => `name-${index}`).join('|'),
  'x'.repeat(4_096),
  String.raw`v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?`,
])('%s is accepted', (expression) => {
  expect(() => goPattern(expression)).not.toThrow();
});

// Less than 200 ms on an idle machine. The first pattern of a process also reads the Unicode tables.
test.each([
  ['[a-z]{999}'.repeat(5), 'a'],
  [String.raw`\pL`.repeat(555), 'a'],
  [String.raw`(?i)\pL`.repeat(250), 'a'],
  [String.raw`[\pL\pN]{290}`, 'a'],
  ['a{999}'.repeat(5), 'a'],
  [String.raw`\W`.repeat(2_048), 'a'],
])('the largest that are accepted are compiled soon: %s', (expression, text) => {
  goPattern(String.raw`(?i)[\pL\pN\W]`);
  expect(cpuMsOf(() => goPattern(expression, { whole: true })(text))).toBeLessThan(1_000);
});

test('the patterns of one object are limited together', () => {
  const budget = new PatternBudget();
  goPattern('a{999}'.repeat(5), { budget });
  goPattern('a{999}'.repeat(5), { budget });
  expect(() => goPattern('a{999}', { budget })).toThrow(/have more than 10000 parts in all/);
});
