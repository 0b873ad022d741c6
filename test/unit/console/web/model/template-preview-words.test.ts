import { expect, test } from '@jest/globals';
import {
  childWords,
  leftOutWords,
  pinnedWords,
  userWords,
  worstFirst,
  type PreviewedChild,
  type PreviewedUser,
} from '#console/web/model/template-preview-words.js';

const CHILD: PreviewedChild = { action: 'keep', cluster: 'eu', namespace: 'shop', release: 'web', name: 'x', why: '' };
const USER: PreviewedUser = {
  ...{ application: 'shop/web', pinned: [], problem: '', problems: [], children: [], unchanged: 0 },
};

test('deletions come first, and then changes', () => {
  const actions = ['keep', 'create', 'change', 'wait', 'delete'] as const;
  const children = actions.map((action) => ({ ...CHILD, action }));
  expect(worstFirst(children).map(({ action }) => action)).toEqual(['delete', 'change', 'create', 'wait', 'keep']);
});

test.each<[Partial<PreviewedChild>, string]>([
  [{ action: 'change' }, 'eu: shop/web would be changed'],
  [{ action: 'delete', namespace: '' }, 'eu: web would be deleted'],
  [{ action: 'create', release: '' }, 'eu: shop/x would be created'],
])('%j is said', (child, words) => {
  expect(childWords({ ...CHILD, ...child })).toBe(words);
});

test.each<[Partial<PreviewedUser>, string]>([
  [{}, 'Nothing would change.'],
  [{ problem: 'no' }, 'Nothing can be said: no'],
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
