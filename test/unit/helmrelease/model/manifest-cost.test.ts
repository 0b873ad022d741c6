import { expect, test } from '@jest/globals';
import {
  excessOfTexts,
  marksOf,
  mayHaveAliases,
  NodeBudget,
  NodesError,
} from '#controllers/helmrelease/model/manifest-cost.js';
import { RawNumber } from '#lib/json/lossless-json.js';

test.each([
  ['', 0],
  ['a: b-c ?d', 0],
  ['a: b\nc: d\n', 2],
  ['a: b\r\n', 2],
  ['a: [1, {b: 2}]', 3],
  ['- a\n- - b\n', 5],
  ['? a\n: b\n', 3],
  ['a: &x b\nc: *x\n', 4],
  ['a\u0085b\u2028c\u2029d', 3],
  ['---\na: 1\n---\n', 23],
  ['é', 0],
])('%j costs as much as %i lines', (text, marks) => {
  expect(marksOf(text, Infinity)).toBe(marks);
});

test('counting ends at the limit', () => {
  expect(marksOf('\n'.repeat(100), 10)).toBe(11);
});

test('a manifest and its hooks count together', () => {
  const half = '- a\n'.repeat(400_000);
  expect(excessOfTexts([half])).toBeUndefined();
  expect(excessOfTexts([half, half])).toBe('more than 1500000 lines, list items and commas in its manifest and hooks');
});

test.each([
  ['a: &x b\nc: *x', true],
  ['- &x b\n- *x', true],
  ['[&x b,*x]', true],
  ['&b c: {<<: *b}', true],
  ['"a":&x 1\n"b":*x', true],
  ['&& c\n*&', true],
  ['a:\u0085&x b\u0085c:\u0085*x', true],
  ['[\u2028&x b,\u2029*x]', true],
  ['a: &x b', false],
  ['a: *x', false],
  ['args: [sh, -c, "a && b"]', false],
  ['url: http://a/?b=c&d=e*f', false],
  ['text: a & b * c', false],
])('%j may have aliases: %s', (text, expected) => {
  expect(mayHaveAliases(text)).toBe(expected);
});

test('fields and items are counted at all levels, repeated ones each time', () => {
  const shared = { a: 1, b: [2, 3] };
  const value = { first: shared, second: shared, big: new RawNumber('12345678901234567890') };
  expect(() => new NodeBudget(11).take(value)).not.toThrow();
  expect(() => new NodeBudget(10).take(value)).toThrow(new NodesError('has more than 10 fields and items'));
  const budget = new NodeBudget(3);
  budget.take({ a: 1, b: 2 });
  expect(() => budget.take({ a: 1, b: 2 })).toThrow(NodesError);
});
