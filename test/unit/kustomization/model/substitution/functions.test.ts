import { expect, test } from '@jest/globals';
import { bytesOf, textOf } from '#controllers/kustomization/model/substitution/bytes.js';
import { costOf, isDefault, operate } from '#controllers/kustomization/model/substitution/functions.js';

test.each<[operator: string, value: string, args: string[], result: string]>([
  ['', 'a', [], 'a'],
  [':-', '', ['x', 'y'], 'xy'],
  [':-', 'a', ['x'], 'a'],
  ['#', 'é', [], '2'],
  ['^', 'éa', [], 'Éa'],
  ['^^', 'aßé', [], 'AßÉ'],
  [',', 'ÀB', [], 'àB'],
  [',,', 'İΣ', [], 'iσ'],
  [':', 'abcdef', ['2'], 'cdef'],
  [':', 'abcdef', ['-2'], 'ef'],
  [':', 'abcdef', ['-9'], 'abcdef'],
  [':', 'abcdef', ['9'], ''],
  [':', 'abcdef', ['1', '2'], 'bc'],
  [':', 'abcdef', ['1', '-1'], 'bcde'],
  [':', 'abcdef', ['4', '-4'], ''],
  [':', 'abcdef', ['x'], 'abcdef'],
  [':', 'abcdef', ['1', 'x'], 'abcdef'],
  [':', 'abcdef', ['9223372036854775808'], 'abcdef'],
  ['/', 'aaa', ['a', 'b'], 'baa'],
  ['/', 'aaa', ['', 'b'], 'baaa'],
  ['//', 'aaa', ['a', 'b'], 'bbb'],
  ['//', 'aaa', ['a'], ''],
  ['//', 'aé', ['', '-'], '-a-é-'],
  ['/#', 'aab', ['a', 'x'], 'xab'],
  ['/#', 'aab', ['a'], 'aab'],
  ['/%', 'baa', ['a', 'x'], 'bax'],
  ['/%', 'baa', ['b', 'x'], 'baa'],
  ['#', 'a/b/c', ['*/'], 'b/c'],
  ['##', 'a/b/c', ['*/'], 'c'],
  ['%', 'a.b.c', ['.*'], 'a.b'],
  ['%', 'a.b.c', ['*.'], 'a.b.c'],
  ['%', 'a.b.c', ['.c'], 'a.b'],
  ['%%', 'a.b.c', ['*'], ''],
])('%j of %j with %j is %j', (operator, value, args, result) => {
  expect(textOf(operate(operator, bytesOf(value), args.map(bytesOf)))).toBe(result);
});

test('only a default does without a value', () => {
  expect([':-', ':=', '=', ':?', ':+'].every(isDefault)).toBe(true);
  expect(['', '#', '^^', ':', '/'].some(isDefault)).toBe(false);
});

test('an operation costs its steps, or what it gives', () => {
  expect(costOf('//', 'aaa', ['a', 'x'.repeat(1_000)])).toBeGreaterThan(3_000);
  expect(costOf('%%', 'a'.repeat(1_000), ['*'.repeat(1_000)])).toBeGreaterThan(1_000_000);
});
