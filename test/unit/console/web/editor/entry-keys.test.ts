import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { rekeyed, withoutEntry, type Keyed } from '#console/web/editor/model/three-way.js';

const d = (cluster: string, more: object = {}) => ({ destination: { clusterRef: { name: cluster } }, ...more });
const [A, B, C, X] = ['a', 'b', 'c', 'x'].map((cluster) => d(cluster));
const THREE: Keyed = { entries: [A, B, C], keys: [1, 2, 3] };

function keysAfter(entries: readonly unknown[], before = THREE): readonly number[] {
  let last = 9;
  return rekeyed(before, entries, () => (last += 1)).keys;
}

test.each<[string, readonly unknown[], readonly number[]]>([
  ['nothing', [d('a'), d('b'), d('c')], [1, 2, 3]],
  ['values', [A, d('b', { values: { a: 1 } }), C], [1, 2, 3]],
  ['the cluster of one', [A, X, C], [1, 2, 3]],
  ['the order', [C, A, B], [3, 1, 2]],
  ['one more at the end', [A, B, C, X], [1, 2, 3, 10]],
  ['one more at the beginning', [X, A, B, C], [10, 1, 2, 3]],
  ['one more that is the same', [A, B, C, C], [1, 2, 3, 10]],
  ['one less', [A, C], [1, 3]],
  ['one moved, and another one changed', [C, X, A], [3, 2, 1]],
  ['others for two', [A, d('y'), X], [1, 10, 11]],
  ['entries that say nothing', [A, {}, null], [1, 10, 11]],
  ['none', [], []],
])('keeps keys with %s', (_, entries, keys) => {
  expect(keysAfter(entries)).toEqual(keys);
});

it('keeps them of stages by their names', () => {
  const stages = { entries: [{ name: 'canary' }, { name: 'rest' }], keys: [1, 2] };
  expect(keysAfter([{ name: 'canary' }, { name: 'stage-1' }, { name: 'rest' }], stages)).toEqual([1, 10, 2]);
  expect(keysAfter([{ name: 'canaries' }, { name: 'rest' }], stages)).toEqual([1, 2]);
});

describe('of entries that say the same', () => {
  const twins = { entries: [A, d('b'), d('b'), C], keys: [1, 2, 3, 4] };

  it('the one that is removed goes, and no other', () => {
    expect(keysAfter([A, B, C], withoutEntry(twins, 1))).toEqual([1, 3, 4]);
    expect(keysAfter([A, B, C], withoutEntry(twins, 2))).toEqual([1, 2, 4]);
  });
});

it('gives no key twice, and none to an entry that is another one', () => {
  const entry = fc.constantFrom(A, B, C, X, {});
  fc.assert(
    fc.property(fc.array(entry), fc.array(entry), (before, entries) => {
      const keys = keysAfter(entries, { entries: before, keys: before.map((_, at) => -1 - at) });
      expect(new Set(keys).size).toBe(entries.length);
      const others = keys.filter((key, at) => key < 0 && before[-1 - key] !== entries[at]);
      expect(others.length).toBeLessThanOrEqual(1);
    }),
  );
});
