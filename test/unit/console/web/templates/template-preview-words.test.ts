import { expect, test } from '@jest/globals';
import type { PlannedChild } from '#queries/answers/plans.js';
import {
  childWords,
  leftOutWords,
  pinnedWords,
  userWords,
  worstFirst,
  type PreviewedUser,
} from '#console/web/templates/model/template-words.js';

const CHILD: PlannedChild = {
  ...{ action: 'keep', entry: 'deploy[0]', cluster: 'eu', kind: 'HelmRelease' },
  ...{ namespace: 'shop', release: 'web', name: 'x', why: '' },
};
const USER: PreviewedUser = {
  ...{ application: 'shop/web', pinned: [], problem: '', problems: [], children: [], unchanged: 0 },
};

test('what is uninstalled comes first, and then what is later', () => {
  const fates: Partial<PlannedChild>[] = [
    { action: 'keep' },
    { action: 'create' },
    { action: 'wait' },
    { action: 'change' },
    { action: 'delete', uninstalls: false },
    { action: 'wait', entry: '' },
    { action: 'delete', uninstalls: true },
  ];
  const sorted = worstFirst(fates.map((fate, index) => ({ ...CHILD, ...fate, name: String(index) })));
  expect(sorted.map(({ name }) => name)).toEqual(['6', '5', '4', '3', '1', '2', '0']);
});

test.each<[Partial<PlannedChild>, string]>([
  [{ action: 'change' }, 'eu: shop/web would be changed'],
  [{ action: 'create', release: '' }, 'eu: shop/x would be created'],
  [
    { action: 'delete', namespace: '', uninstalls: true },
    'eu: web would be deleted, and what runs there is uninstalled',
  ],
  [{ action: 'delete', uninstalls: false }, 'eu: shop/web would be orphaned: what runs there stays'],
  [{ action: 'wait', entry: '' }, 'eu: shop/web would be deleted later, and what runs there is uninstalled'],
  [{ action: 'wait' }, 'eu: shop/web would wait'],
])('%j is said', (child, words) => {
  expect(childWords({ ...CHILD, ...child })).toBe(words);
});

test.each<[Partial<PreviewedUser>, string]>([
  [{}, 'Nothing would change.'],
  [{ problem: 'no' }, 'It could not be computed: no'],
  [{ problems: [{ field: '', message: 'x' }] }, 'It would be refused, and what runs stays.'],
  [{ children: [CHILD] }, ''],
  [{ children: [CHILD], unchanged: 1 }, '1 would stay as it is.'],
  [{ children: [CHILD], unchanged: 2 }, '2 would stay as they are.'],
])('of %j', (user, words) => {
  expect(userWords({ ...USER, ...user })).toBe(words);
});

test('what is left out, and who is pinned, is said', () => {
  expect(leftOutWords({ more: 0, hidden: 0 })).toBe('');
  expect(leftOutWords({ more: 3, hidden: 1 })).toMatch(/^3 more .* 1 more /);
  expect([pinnedWords({ pinned: [] }), pinnedWords({ pinned: [1, 2] })]).toEqual(['', expect.stringContaining('1, 2')]);
});
