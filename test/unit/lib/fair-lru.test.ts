import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFairLru } from '#lib/fair-lru.js';
import { createLru } from '#lib/lru.js';

test('the tenant with most forgets what it used least recently, and no other one forgets anything', () => {
  const all = createFairLru<number>(10, (size) => size);
  const [small, greedy] = [all.of('small'), all.of('greedy')];
  small.set('a', 3);
  for (let index = 0; index < 100; index += 1) {
    greedy.set(`k${index}`, 2);
    greedy.get('k0');
  }
  expect(small.get('a')).toBe(3);
  expect(['k0', 'k97', 'k98', 'k99'].map((key) => greedy.get(key))).toEqual([2, undefined, 2, 2]);
  small.set('b', 1);
  expect([small.get('b'), small.get('a')]).toEqual([1, 3]);
});

test('keys are those of their tenant, and what is too large by itself is not kept', () => {
  const all = createFairLru<number>(10, (size) => size);
  all.of('a').set('k', 4);
  all.of('b').set('k', 5);
  all.of('b').set('large', 11);
  expect([all.of('a').get('k'), all.of('b').get('k'), all.of('b').get('large')]).toEqual([4, 5, undefined]);
  all.of('a').delete('k');
  expect([all.of('a').get('k'), all.of('b').get('k')]).toEqual([undefined, 5]);
  all.of('b').set('k', 11);
  expect(all.of('b').get('k')).toBeUndefined();
});

test('with one tenant, it forgets what any other bounded map forgets', () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), size: fc.integer({ min: 0, max: 6 }) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const [fair, plain] = [createFairLru<number>(10, (size) => size).of('a'), createLru<number>(10, (size) => size)];
      for (const { key, size } of steps) {
        if (size === 0) expect(fair.get(key)).toBe(plain.get(key));
        else for (const each of [fair, plain]) each.set(key, size);
      }
      for (const key of ['a', 'b', 'c', 'd', 'e']) expect(fair.get(key)).toBe(plain.get(key));
    }),
  );
});
