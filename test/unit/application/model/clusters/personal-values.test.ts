import { describe, expect, test } from '@jest/globals';
import { celCluster, composed, withResults } from '#controllers/application/model/clusters/personal-values.js';
import type { Layer } from '#controllers/application/model/layers.js';
import { own } from './builders.js';

function layers(entry: Layer, ...overrides: Layer[]) {
  return {
    entry: { values: entry, timeout: '1m' },
    valuesTemplate: undefined,
    overrides: overrides.map((values, index) => ({ origin: `overrides[${index}]`, layer: { values } })),
  };
}

describe('the order of values', () => {
  // A saved template lies under the entry already: see template-use.test.ts.
  interface Row {
    readonly entry?: Layer;
    readonly rendered?: Layer;
    readonly overrides?: readonly Layer[];
    readonly values: Layer;
  }
  const rows: Record<string, Row> = {
    'the template over the entry': { entry: { a: 1, b: 1 }, rendered: { a: 2 }, values: { a: 2, b: 1 } },
    'an override over the template': { rendered: { a: 2 }, overrides: [{ a: 3 }], values: { a: 3 } },
    'an override over the entry': { entry: { a: 1 }, overrides: [{ a: 3 }], values: { a: 3 } },
    'a later override over an earlier one': { overrides: [{ a: 3 }, { a: 4 }], values: { a: 4 } },
    'false over true': { entry: { a: true }, rendered: { a: false }, values: { a: false } },
    'a null of an override over the template': {
      rendered: { a: { b: 1 } },
      overrides: [{ a: null }],
      values: { a: null },
    },
    'a map over a null': { entry: { a: null }, rendered: { a: { b: 1 } }, values: { a: { b: 1 } } },
  };
  test.each(Object.entries(rows))('%s', (_name, { entry = {}, rendered = {}, overrides = [], values }) => {
    expect(composed(layers(entry, ...overrides), rendered)?.values).toEqual(values);
  });

  test('an expression over all of them, where it is the last', () => {
    const found = composed(layers({ a: '${{ x }}', b: '${{ y }}' }, { c: 'z${{ z }}' }), { a: 1 });
    expect(found?.texts.map(({ path }) => path)).toEqual([['b'], ['c']]);
    expect(found && withResults(found, [{ d: 1 }, 'z2'])).toEqual({ a: 1, b: { d: 1 }, c: 'z2' });
  });
});

test('what a template rendered holds no expressions: labels could bring them in', () => {
  expect(composed(layers({}), { a: '${{ cluster.name }}' })?.texts).toEqual([]);
});

test('values without expressions and template are those of the fields', () => {
  expect(composed(layers({ a: 1 }, { b: 2 }), undefined)).toBeUndefined();
});

test('expressions read a cluster by name, labels, annotations and version', () => {
  const cluster = own('eu', { env: 'prod' });
  expect(celCluster(cluster)).toMatchObject({ name: 'eu', namespace: 'shop', labels: { env: 'prod' } });
  expect(celCluster(cluster)).toBe(celCluster(cluster));
});
