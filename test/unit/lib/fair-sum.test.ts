import { expect, test } from '@jest/globals';
import { FairSum, type Share } from '#lib/fair-sum.js';

function opened(most: number, gives?: 'largest') {
  const sum = new FairSum(most, gives);
  const ended: string[] = [];
  const share = (tenant: string, name: string, bytes: number): Share => {
    const held = sum.share(tenant, () => ended.push(name));
    held.grow(bytes);
    return held;
  };
  return { share, ended };
}

test('who holds most gives up a share, whoever asks', () => {
  const { share, ended } = opened(100);
  share('a', 'a1', 30);
  share('a', 'a2', 40);
  const b = share('b', 'b', 29);
  expect(ended).toEqual([]);
  share('c', 'c', 10);
  expect(ended).toEqual(['a2']);
  b.grow(20);
  b.grow(20);
  expect(ended).toEqual(['a2', 'b']);
});

test('a share that is larger than the sum is given up, and nothing else', () => {
  const { share, ended } = opened(100);
  share('a', 'a1', 1);
  share('b', 'b1', 1);
  share('a', 'a2', 101);
  expect(ended).toEqual(['a2']);
});

test('what has ended, or was given up, is not counted', () => {
  const { share, ended } = opened(100);
  const first = share('a', 'a1', 60);
  first.grow(-20);
  first.end();
  first.end();
  first.grow(1_000);
  const second = share('a', 'a2', 101);
  second.grow(1_000);
  second.end();
  share('a', 'a3', 100);
  expect(ended).toEqual(['a2']);
});

test.each([NaN, Infinity, -Infinity])('a share does not grow by %p, and the sum goes on', (bytes) => {
  const { share, ended } = opened(100);
  const odd = share('a', 'odd', 1);
  expect(() => odd.grow(bytes)).toThrow(TypeError);
  share('b', 'large', 100);
  expect(ended).toEqual(['large']);
  odd.end();
});

test('of tenants that hold the same, no more than one gives up', () => {
  const { share, ended } = opened(100);
  for (const tenant of ['a', 'b', 'c', 'd', 'e']) share(tenant, tenant, 20);
  const f = share('f', 'f', 20);
  expect(ended).toHaveLength(1);
  f.end();
});

test('what began first comes to its end, however much more begins', () => {
  const { share, ended } = opened(100);
  const first = share('a', 'first', 10);
  for (let index = 0; index < 5; index += 1) share('a', `later ${index}`, 30).grow(1);
  for (let bytes = 10; bytes < 90; bytes += 10) first.grow(10);
  expect(ended).not.toContain('first');
});

test('what is too small to help is not given up', () => {
  const { share, ended } = opened(100);
  share('a', 'large', 90);
  share('a', 'small', 1);
  share('b', 'other', 20);
  expect(ended).toEqual(['large']);
});

test('of what stays, the largest goes, whenever it began', () => {
  const { share, ended } = opened(100, 'largest');
  const flood = share('a', 'flood', 50);
  for (const name of ['one', 'two', 'three']) share('a', name, 10);
  for (let bytes = 0; bytes < 40; bytes += 1) flood.grow(1);
  expect(ended).toEqual(['flood']);
});
