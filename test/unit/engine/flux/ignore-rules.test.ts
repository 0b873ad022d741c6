import { expect, test } from '@jest/globals';
import type { IgnoreRule } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import { compileIgnoreRules } from '#engine/flux/ignore-rules.js';

const WEB: Unstructured = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'a' } };

function compile(...rules: IgnoreRule[]): (object: Unstructured) => readonly string[] | undefined {
  return compileIgnoreRules(rules, { field: 'spec.ignore', reason: 'ReconciliationFailed' }, (paths) => paths);
}

test.each<[string, IgnoreRule[], string[] | undefined]>([
  ['no rule', [], undefined],
  ['a rule for all objects', [{ paths: ['/a', '/b'] }], ['/a', '/b']],
  ['a rule for this one', [{ paths: ['/a'], target: { group: 'apps', kind: 'Deployment', name: 'w.*' } }], ['/a']],
  ['a rule for another one', [{ paths: ['/a'], target: { kind: 'Deploy' } }], undefined],
  ['several rules without a target', [{ paths: ['/a'] }, { paths: ['/b'] }], ['/a', '/b']],
])('%s', (_title, rules, expected) => {
  expect(compile(...rules)(WEB)).toEqual(expected);
});

test.each<[string, IgnoreRule[], string]>([
  ['a pattern', [{ paths: [] }, { paths: ['/a'], target: { name: '(' } }], 'spec.ignore[1].target: '],
  [
    'a pattern that stands for too much',
    [{ paths: ['/a'], target: { name: '[a-z]{1000}'.repeat(200) } }],
    'spec.ignore[0].target: the pattern "[a-z]{1000}[a-z]',
  ],
  [
    'one of many patterns',
    Array.from({ length: 20 }, () => ({ paths: ['/a'], target: { name: 'a{900}' } })),
    'spec.ignore[11].target: the patterns up to this one have more than 10000 parts in all',
  ],
  ['a selector', [{ paths: ['/a'], target: { labelSelector: 'a in' } }], 'spec.ignore[0].target: '],
])('%s that cannot be read is rejected by name', (_title, rules, message) => {
  expect(() => compile(...rules)).toThrow(message);
});

test('what is made of the same rules is made once', () => {
  const made: (readonly string[])[] = [];
  const where = { field: 'spec.ignore', reason: 'ReconciliationFailed' };
  const read = compileIgnoreRules([{ paths: ['/a'] }], where, (paths) => made.push(paths));
  expect([read(WEB), read({ ...WEB, metadata: { name: 'api' } }), made]).toEqual([1, 1, [['/a']]]);
});
