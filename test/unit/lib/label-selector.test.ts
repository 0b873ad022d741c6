import { describe, expect, test } from '@jest/globals';
import {
  isEmptySelector,
  parseSelector,
  printSelector,
  readSelector,
  selectorProblem,
  type LabelSelector,
} from '#lib/kube/label-selector.js';
import { cpuMsOf } from '../../support/cpu-time.js';

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
    ['constructor', false],
    ['!toString', true],
  ])('%p', (text, expected) => expect(parseSelector(text)({ a: '1' })).toBe(expected));
});

test.each(['', 'a', '!a', 'a in (1)', 'a in (1,2),!b', 'a notin (1),example.com/x in (y)'])(
  '%j is printed as it is read',
  (text) => expect(printSelector(readSelector(text))).toBe(text),
);

test('labels are printed as equalities', () => {
  expect(printSelector({ matchLabels: { a: '1', b: '' } })).toBe('a=1,b=');
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

describe('a selector that no label can match is reported with its field, as the API server reports labels', () => {
  const expression = (key: string, operator: 'In' | 'NotIn' | 'Exists', values?: string[]) => ({
    matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }],
  });
  test.each<[string, LabelSelector, string | undefined]>([
    ['an empty value', { matchLabels: { env: '' } }, undefined],
    ['a prefixed key', { matchLabels: { 'topology.kubernetes.io/zone': 'eu-west_1.a' } }, undefined],
    ['63 characters', { matchLabels: { env: 'a'.repeat(63) } }, undefined],
    ['64 characters', { matchLabels: { env: 'a'.repeat(64) } }, `matchLabels["env"]: "${'a'.repeat(64)}" is not`],
    ['a blank', { matchLabels: { env: 'prod eu' } }, 'matchLabels["env"]: "prod eu" is not a valid label value'],
    ['a hyphen at the end', { matchLabels: { env: 'prod-' } }, 'matchLabels["env"]: "prod-" is not'],
    ['a comma', expression('env', 'In', ['a', 'b,c']), 'matchExpressions[0].values[1]: "b,c" is not'],
    ['a key with a blank', { matchLabels: { 'my env': 'a' } }, 'matchLabels: "my env" is not a valid label key'],
    ['an empty key', { matchLabels: { '': 'a' } }, 'matchLabels: "" is not a valid label key'],
    ['a key without a name', expression('example.com/', 'Exists'), 'matchExpressions[0].key: "example.com/" is not'],
    ['two slashes', expression('a/b/c', 'Exists'), 'matchExpressions[0].key: "a/b/c" is not'],
    ['a prefix in capitals', expression('Example.com/a', 'Exists'), 'matchExpressions[0].key: "Example.com/a" is not'],
    ['a prefix that is long', expression(`${'a.'.repeat(127)}a/b`, 'Exists'), 'matchExpressions[0].key: "a.a.'],
    ['In without values', expression('env', 'In'), 'matchExpressions[0].values: In needs values'],
    ['Exists with values', expression('env', 'Exists', ['a']), 'matchExpressions[0].values: Exists takes no values'],
  ])('%s', (_, selector, expected) => {
    const problem = selectorProblem(selector);
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem?.startsWith(expected)).toBe(true);
  });

  test('in little time, and in a bounded text', () => {
    const hostile = `${'a-.'.repeat(100_000)}!/x`;
    const cost = cpuMsOf(() => {
      expect(selectorProblem({ matchLabels: { [hostile]: hostile } })?.length).toBeLessThan(400);
      expect(selectorProblem({ matchLabels: { a: hostile } })?.length).toBeLessThan(400);
    });
    expect(cost).toBeLessThan(1_000);
  });
});
