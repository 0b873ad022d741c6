import { expect, test } from '@jest/globals';
import { bytesOf } from '#controllers/kustomization/model/substitution/bytes.js';
import { matchingPrefix } from '#controllers/kustomization/model/substitution/functions.js';

test.each<[string, string, [shortest: number, longest: number] | undefined]>([
  ['ab', 'abab', [2, 2]],
  ['b', 'abab', undefined],
  ['*', 'abab', [1, 4]],
  ['*b', 'abab', [2, 4]],
  ['*/', 'a/b/c', [2, 4]],
  ['?', 'é', [2, 2]],
  ['[a-c]', 'b', [1, 1]],
  ['[^a-c]', 'b', undefined],
  ['[\\]]', ']', [1, 1]],
  ['\\*', '*a', [1, 1]],
  ['\\', '\\', undefined],
  ['[a', 'a', undefined],
  ['[]a]', 'a', undefined],
  ['[a-]', 'a', undefined],
  ['', 'a', undefined],
  ['*', '', undefined],
])('%j in %j', (pattern, value, lengths) => {
  const expected = lengths === undefined ? undefined : { shortest: lengths[0], longest: lengths[1] };
  expect(matchingPrefix(bytesOf(pattern), bytesOf(value))).toEqual(expected);
});

test('many stars take no longer than their number times the length', () => {
  expect(matchingPrefix('*a'.repeat(200), 'a'.repeat(20_000))).toEqual({ shortest: 200, longest: 20_000 });
});
