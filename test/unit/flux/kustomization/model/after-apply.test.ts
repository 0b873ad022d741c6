import { expect, test } from '@jest/globals';
import { checksAfter, keepsInventory } from '#controllers/flux/kustomization/model/after-apply.js';
import { object } from './builders.js';

const CHECKS = [object('ConfigMap', 'a', { namespace: 'n' }), object('ConfigMap', 'b', { namespace: 'n' })];
const CHANGES = [
  { id: 'n_a__ConfigMap', subject: 'ConfigMap/n/a', action: 'skipped' as const },
  { id: 'n_b__ConfigMap', subject: 'ConfigMap/n/b', action: 'unchanged' as const },
];

test.each([
  ['wait does not wait for what was left in place', true, ['b']],
  ['a check that is named is always done', false, ['a', 'b']],
])('%s', (_name, wait, names) => {
  expect(checksAfter({ wait }, { checks: CHECKS }, CHANGES).map(({ metadata }) => metadata.name)).toEqual(names);
});

const [A, B] = CHANGES.map(({ id }) => ({ id, v: 'v1' })) as [{ id: string; v: string }, { id: string; v: string }];

test.each([
  ['the same entries', [A, B], true],
  ['another order', [B, A], false],
  ['another version', [A, { ...B, v: 'v2' }], false],
  ['another entry', [A], false],
])('an inventory is kept with %s: %s', (_name, known, expected) => {
  expect(keepsInventory({ inventory: [A, B] }, known)).toBe(expected);
});
