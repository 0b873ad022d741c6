import { expect, test } from '@jest/globals';
import { metadataOf, Patterns, type Metadata } from '#controllers/kustomization/model/sops/metadata.js';
import { readTrees } from '#controllers/kustomization/model/sops/tree.js';

function read(sops: Readonly<Record<string, unknown>>): Metadata | undefined {
  const [document] = readTrees(JSON.stringify({ a: 1, sops }));
  return document && metadataOf(document);
}

test.each<[string, Readonly<Record<string, string>>, string[]]>([
  ['everything', {}, ['a', 'a_plain', 'b', 'data']],
  ['all but a suffix', { unencrypted_suffix: '_plain' }, ['a', 'b', 'data']],
  ['a suffix', { encrypted_suffix: '_plain' }, ['a_plain']],
  ['all but a pattern', { unencrypted_regex: '^a' }, ['b', 'data']],
  ['a pattern', { encrypted_regex: '^(data|b)$' }, ['b', 'data']],
])('%s is encrypted', (_title, rules, encrypted) => {
  const metadata = read({ mac: 'x', ...rules });
  expect(['a', 'a_plain', 'b', 'data'].filter((key) => metadata?.isEncrypted(['map', key]))).toEqual(encrypted);
});

test('what sops did not encrypt has no metadata', () => {
  expect(read({ mac: '' })).toBeUndefined();
  expect(read({})).toBeUndefined();
});

test('key services are named', () => {
  expect(read({ mac: 'x', hc_vault: [{ vault_address: 'https://example.com' }], kms: [] })?.services).toEqual([
    'hc_vault',
  ]);
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['has 5000 recipients of age', { age: Array.from({ length: 5_000 }, () => ({ recipient: 'age1', enc: '' })) }],
  ['uses sops.key_groups', { key_groups: [{ age: [] }] }],
  ['uses sops.encrypted_comment_regex', { encrypted_comment_regex: 'x' }],
  ['has a pattern in its sops metadata that is no regular expression', { encrypted_regex: '(' }],
])('a file is refused that %s', (problem, sops) => {
  expect(() => read({ mac: 'x', ...sops })).toThrow(problem);
});

test('the patterns of a file have one budget, and equal ones count once', () => {
  const patterns = new Patterns();
  const large = (letter: string): string => `(?:${letter}x){900}`;
  for (let times = 0; times < 10; times += 1) expect(patterns.read(large('a'))('ax')).toBe(false);
  const others = (): unknown => Array.from('bcdefghij').map((letter) => patterns.read(large(letter)));
  expect(others).toThrow('its patterns repeat too much');
});
