import { expect, test } from '@jest/globals';
import type { IgnoreRule } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import { compileIgnoreRules, type IgnoredPaths } from '#controllers/flux/shared/ignore-rules.js';

const WEB: Unstructured = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'a' } };

function compile(...rules: IgnoreRule[]): IgnoredPaths {
  return compileIgnoreRules(rules, { field: 'spec.ignore', reason: 'ReconciliationFailed' });
}

test.each<[string, IgnoreRule[], string[]]>([
  ['no rule', [], []],
  ['a rule for all objects', [{ paths: ['/a', '/b'] }], ['/a', '/b']],
  ['a rule for this one', [{ paths: ['/a'], target: { group: 'apps', kind: 'Deployment', name: 'w.*' } }], ['/a']],
  ['a rule for another one', [{ paths: ['/a'], target: { kind: 'Deploy' } }], []],
  ['several rules without a target', [{ paths: ['/a'] }, { paths: ['/b'] }], ['/a', '/b']],
])('%s', (_title, rules, expected) => {
  expect(compile(...rules)(WEB)).toEqual(expected);
});

test.each<[string, IgnoreRule[], string]>([
  ['a pattern', [{ paths: [] }, { paths: ['/a'], target: { name: '(' } }], 'spec.ignore[1].target: '],
  ['a selector', [{ paths: ['/a'], target: { labelSelector: 'a in' } }], 'spec.ignore[0].target: '],
  ['201 paths', [{ paths: Array.from({ length: 201 }, String) }], 'spec.ignore has 201 paths, and at most 200'],
])('%s that cannot be read is rejected by name', (_title, rules, message) => {
  expect(() => compile(...rules)).toThrow(message);
});
