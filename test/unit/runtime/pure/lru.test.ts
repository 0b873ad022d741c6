import { expect, test } from '@jest/globals';
import { createLru } from '../../../../controllers/flux/helmrelease/lru.js';

test('the entry that was not used for longest is forgotten', () => {
  const lru = createLru<number>(2);
  lru.set('a', 1);
  lru.set('b', 2);
  expect(lru.get('a')).toBe(1);
  lru.set('c', 3);
  expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([1, undefined, 3]);
});

test('setting a key again replaces its value and forgets nothing', () => {
  const lru = createLru<number>(2);
  lru.set('a', 1);
  lru.set('b', 2);
  lru.set('a', 3);
  expect([lru.get('a'), lru.get('b')]).toEqual([3, 2]);
});
