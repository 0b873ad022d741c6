import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Layer, mergeLayers } from '#controllers/application/model/child/layers.js';
import { RawNumber } from '#lib/json/lossless-json.js';

const layer = fc.dictionary(
  fc.constantFrom('interval', 'values', 'install', 'dependsOn'),
  fc.oneof(
    fc.string(),
    fc.array(fc.integer()),
    fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(fc.integer(), fc.string())),
  ),
) as fc.Arbitrary<Layer>;

describe('layers', () => {
  it('merge maps, replace lists, and let the last one win', () => {
    const low = { interval: '10m', install: { timeout: '1m', crds: 'Skip' }, dependsOn: [{ name: 'a' }] };
    const high = { interval: '5m', install: { timeout: '2m' }, dependsOn: [{ name: 'b' }] };
    expect(mergeLayers(low, high)).toEqual({
      interval: '5m',
      install: { timeout: '2m', crds: 'Skip' },
      dependsOn: [{ name: 'b' }],
    });
  });

  it('keep nulls in values and take them for absent anywhere else', () => {
    const high = { values: { image: null, deep: { key: null } }, timeout: null, destination: { kubeConfig: null } };
    expect(mergeLayers({ timeout: '1m' }, high)).toEqual({
      timeout: '1m',
      values: { image: null, deep: { key: null } },
      destination: {},
    });
  });

  it('take a number that a double cannot hold for a scalar', () => {
    const big = new RawNumber('9007199254740993');
    expect(mergeLayers({ values: { id: { a: 1 } } }, { values: { id: big } })).toEqual({ values: { id: big } });
  });

  it('keep every key of the values, whatever it means to JavaScript', () => {
    const values = JSON.parse('{"__proto__":{"a":1},"constructor":{"b":2}}') as Layer;
    const merged = mergeLayers({ values: { c: 3 } }, { values });
    expect(JSON.parse(JSON.stringify(merged))).toEqual({ values: { c: 3, ...values } });
    expect(Object.keys(merged['values'] as Layer).sort()).toEqual(['__proto__', 'c', 'constructor']);
  });

  it('obey the laws of layering', () => {
    fc.assert(
      fc.property(layer, layer, layer, (a, b, c) => {
        expect(mergeLayers(a, a)).toEqual(mergeLayers(a));
        expect(mergeLayers({}, a)).toEqual(mergeLayers(a, {}));
        expect(mergeLayers(mergeLayers(a, b), c)).toEqual(mergeLayers(a, b, c));
      }),
    );
  });
});
