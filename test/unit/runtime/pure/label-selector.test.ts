import { describe, expect, test } from '@jest/globals';
import { isEmptySelector, parseSelector, selectorProblem } from '#controllers/runtime/pure/label-selector.js';
import { cpuMsOf } from '#test/support/cpu-time.js';

describe('labels match the text', () => {
  test.each<[string, boolean]>([
    ['', true],
    ['a', true],
    ['!a', false],
    ['!b', true],
    ['a=1', true],
    ['a==1', true],
    ['a=', false],
    ['a!=1', false],
    ['b!=1', true],
    ['a in (1,2)', true],
    ['a in (2)', false],
    ['a notin (1, 2)', false],
    ['b notin (1)', true],
    ['a in (1,2),!b', true],
    ['example.com/x=y', false],
  ])('%p', (text, expected) => expect(parseSelector(text)({ a: '1' })).toBe(expected));
});

test('a text of a megabyte is read in the time that it takes to read it', () => {
  const cost = cpuMsOf(() => {
    expect(parseSelector('a,'.repeat(500_000) + 'a')({ a: '' })).toBe(true);
    expect(() => parseSelector('(,'.repeat(500_000))).toThrow(RangeError);
  });
  expect(cost).toBeLessThan(5_000);
});

test('a selector is empty without requirements, and invalid where values are missing or too many', () => {
  expect(isEmptySelector({ matchLabels: {}, matchExpressions: [] })).toBe(true);
  expect(isEmptySelector({ matchExpressions: [{ key: 'a', operator: 'Exists' }] })).toBe(false);
  expect(selectorProblem({ matchLabels: { a: '1' } })).toBeUndefined();
  const [good, bad] = [{ key: 'a', operator: 'In', values: ['1'] } as const, { key: 'a', operator: 'NotIn' } as const];
  expect(selectorProblem({ matchExpressions: [good, bad] })).toBe('matchExpressions[1].values: NotIn needs values');
});
