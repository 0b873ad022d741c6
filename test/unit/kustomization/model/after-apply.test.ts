import { expect, test } from '@jest/globals';
import { checksAfter, inventoryAfter, keepsInventory } from '#controllers/kustomization/model/after-apply.js';
import type { Acted } from '#controllers/kustomization/model/types.js';
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

const entryOf = (name: string): { id: string; v: string } => ({ id: `n_${name}__ConfigMap`, v: 'v1' });
/** What was there is `old` and `same`; the build has `same`, `new` and `late`. */
const DECISION = {
  inventory: ['same', 'new', 'late'].map(entryOf),
  ahead: ['old', 'same', 'new', 'late'].map(entryOf),
};
const failed: Acted['problem'] = { reason: 'ReconciliationFailed', message: 'why' };
const pruneFailed: Acted['problem'] = { reason: 'PruneFailed', message: 'why' };

function done(name: string, action: Acted['changes'][number]['action']): Acted['changes'][number] {
  return { id: entryOf(name).id, subject: `ConfigMap/n/${name}`, action };
}

test.each<[string, Partial<Acted>, string[]]>([
  ['of a pass that worked is the build', {}, ['same', 'new', 'late']],
  [
    'of a failed health check is the build, too',
    { problem: { reason: 'HealthCheckFailed', message: 'why' } },
    ['same', 'new', 'late'],
  ],
  ['keeps what was there when nothing was written, and nothing else', { problem: failed }, ['old', 'same']],
  [
    'has what was created before something failed, and not what was refused',
    { problem: failed, changes: [done('same', 'unchanged'), done('new', 'created')] },
    ['old', 'same', 'new'],
  ],
  [
    'has what was changed for the first time',
    { problem: failed, changes: [done('new', 'configured')] },
    ['old', 'same', 'new'],
  ],
  [
    'has what was there with our labels and nobody remembered',
    { problem: failed, changes: [done('new', 'unchanged')] },
    ['old', 'same', 'new'],
  ],
  ["has nothing of another's", { problem: failed, changes: [done('new', 'skipped')] }, ['old', 'same']],
  [
    'has what may have been created, because there was no answer',
    { problem: failed, unanswered: [entryOf('late').id] },
    ['old', 'same', 'late'],
  ],
  [
    'has what is still to be pruned, and not what a failed prune was done with',
    { problem: pruneFailed, cleared: [entryOf('old').id] },
    ['same', 'new', 'late'],
  ],
  ['has all that was to be pruned when none of it was', { problem: pruneFailed }, ['old', 'same', 'new', 'late']],
])('the inventory %s', (_name, acted, expected) => {
  const before = ['old', 'same'].map(entryOf);
  const after = inventoryAfter(DECISION, { changes: [], pruned: [], ...acted }, before);
  expect(after).toEqual(expected.map(entryOf));
});
