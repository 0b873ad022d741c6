import { expect, test } from '@jest/globals';
import { plannedByFate, type Fate } from '#queries/views/planned-view.js';
import type { PlannedChild } from '#queries/answers/plans.js';

function child(name: string, more: Partial<PlannedChild>): PlannedChild {
  const of = { entry: 'spec.x', cluster: 'eu', namespace: 'web', release: 'web', kind: 'HelmRelease', why: 'y' };
  return { action: 'keep', ...of, name, ...more };
}

test.each<[string, Partial<PlannedChild>, Fate]>([
  ['is deleted, and what runs with it', { action: 'delete', entry: '', uninstalls: true }, 'uninstall'],
  ['is deleted by a server that does not say so', { action: 'delete', entry: '' }, 'uninstall'],
  ['is deleted alone', { action: 'delete', entry: '', uninstalls: false }, 'leave'],
  ['waits, and nothing wants it', { action: 'wait', entry: '' }, 'uninstallLater'],
  ['waits, nothing wants it, and it goes alone', { action: 'wait', entry: '', uninstalls: false }, 'leave'],
  ['waits for its entry', { action: 'wait' }, 'wait'],
  ['waits, and is another release then', { action: 'wait', uninstalls: true }, 'reinstallLater'],
  ['is changed', { action: 'change' }, 'change'],
  ['is installed again', { action: 'change', uninstalls: true }, 'reinstall'],
  ['is created', { action: 'create' }, 'create'],
  ['stays', {}, 'keep'],
])('what becomes of a child that %s', (_, more, fate) => {
  expect(plannedByFate([child('a', more)])).toEqual([[fate, [child('a', more)]]]);
});

test('the worst is first, and each child is there once', () => {
  const children = [
    child('a', {}),
    child('b', { action: 'create' }),
    child('c', { action: 'delete', entry: '' }),
    child('d', { action: 'change' }),
    child('e', { action: 'delete', entry: '' }),
  ];
  const names = plannedByFate(children).map(([fate, found]) => [fate, found.map(({ name }) => name)]);
  expect(names).toEqual([
    ['uninstall', ['c', 'e']],
    ['change', ['d']],
    ['create', ['b']],
    ['keep', ['a']],
  ]);
});
