import { expect, test } from '@jest/globals';
import { goPattern } from '#controllers/runtime/pure/go-pattern.js';

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
