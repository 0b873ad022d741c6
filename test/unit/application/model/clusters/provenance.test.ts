import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import get from 'lodash/get.js';
import {
  type Layer,
  leavesOf,
  mergeLayers,
  mergeNamed,
  type NamedLayer,
} from '#controllers/application/model/child/layers.js';
import { isMap } from '#lib/plain.js';

const { tree } = fc.letrec<{ tree: unknown; map: Layer }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, false, true, 0, 1, '', 'text', []),
    fc.array(fc.integer(), { maxLength: 2 }),
    tie('map'),
  ),
  map: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('tree'), { maxKeys: 3 }),
}));
const values = fc.dictionary(fc.constantFrom('a', 'b', 'c'), tree, { maxKeys: 3 });
const layers: fc.Arbitrary<NamedLayer[]> = fc
  .array(values, { minLength: 1, maxLength: 4 })
  .map((all) => all.map((each, index) => ({ origin: `layer ${index}`, layer: { values: each } })));

/** True if a layer says anything of a place, or something around it that is no map. */
function decides(layer: Layer, path: readonly string[]): boolean {
  const around = path.map((_key, index) => path.slice(0, index + 1));
  return around.some((place) => {
    const value: unknown = get(layer, place);
    return value !== undefined && (place.length === path.length || !isMap(value));
  });
}

describe('mergeNamed', () => {
  test('merges as layers are merged', () => {
    fc.assert(
      fc.property(layers, (all) => {
        expect(mergeNamed(all).merged).toEqual(mergeLayers(...all.map(({ layer }) => layer)));
      }),
    );
  });

  test('each value is what the layer says from which it is', () => {
    fc.assert(
      fc.property(layers, (all) => {
        const { merged, provenance } = mergeNamed(all);
        const found = leavesOf(merged).filter(({ value }) => !isMap(value));
        for (const { path, value } of found) {
          const source = all.find(({ origin }) => origin === provenance.at(path));
          expect(get(source?.layer, path)).toEqual(value);
        }
      }),
    );
  });

  test('no later layer says anything of it: the last writer wins', () => {
    fc.assert(
      fc.property(layers, (all) => {
        const { merged, provenance } = mergeNamed(all);
        const found = leavesOf(merged).filter(({ value }) => !isMap(value) && !Array.isArray(value));
        for (const { path } of found) {
          const index = all.findIndex(({ origin }) => origin === provenance.at(path));
          expect(all.slice(index + 1).filter(({ layer }) => decides(layer, path))).toEqual([]);
        }
      }),
    );
  });
});

describe('leavesOf', () => {
  test('items of lists have their index as key', () => {
    expect(leavesOf({ a: [{ b: 1 }, 'c'], d: {}, e: null })).toEqual([
      { path: ['a', '0', 'b'], value: 1 },
      { path: ['a', '1'], value: 'c' },
      { path: ['d'], value: {} },
      { path: ['e'], value: null },
    ]);
  });
});
