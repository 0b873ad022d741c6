import { expect, test } from '@jest/globals';
import { createLru } from '#lib/lru.js';

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

test('values have sizes of their own, and one that is too large is not kept', () => {
  const lru = createLru<string>(5, (text) => text.length);
  lru.set('a', 'xx');
  lru.set('b', 'yyy');
  lru.set('c', 'zz');
  expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([undefined, 'yyy', 'zz']);
  lru.set('b', 'y');
  lru.set('d', 'dd');
  expect([lru.get('b'), lru.get('c'), lru.get('d')]).toEqual(['y', 'zz', 'dd']);
  lru.set('e', 'eeeeee');
  expect([lru.get('b'), lru.get('e')]).toEqual(['y', undefined]);
  lru.set('b', 'yyyyyy');
  expect([lru.get('b'), lru.get('c')]).toEqual([undefined, 'zz']);
});
