import { describe, expect, test } from '@jest/globals';
import { evaluateTexts } from '#controllers/application/model/destinations/cel-values.js';
import { withOverrides } from '#controllers/application/model/destinations/overrides.js';
import {
  celCluster,
  createCompose,
  valuesLayers,
  withResults,
} from '#controllers/application/model/destinations/personal-values.js';
import type { Layer } from '#controllers/application/model/child/layers.js';
import type { ExpandedDraft } from '#controllers/application/model/child/types.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';
import { own } from './builders.js';

const composed = createCompose();

function layers(entry: Layer, ...overrides: Layer[]) {
  return valuesLayers({
    entry: { values: entry, timeout: '1m' },
    valuesTemplate: undefined,
    overrides: overrides.map((values, index) => ({ origin: `overrides[${index}]`, layer: { values } })),
  });
}

test('layers hold their values once, and not where each of them is from', () => {
  const { merged } = layers({ a: 1 }, { a: 2 }, { b: 3 });
  expect(merged).toEqual({ values: { a: 2, b: 3 }, timeout: '1m' });
});

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
});

test('an expression counts only where its own layer decides', () => {
  const below = { a: '${{ a }}', b: { c: '${{ b }}' }, list: ['${{ c }}'], kept: ['x', '${{ d }}'] };
  const over = { a: 'fixed', b: null, list: ['${{ e }}'], map: { f: '${{ f }}' } };
  const texts = composed(layers(below, over), undefined)?.texts;
  expect(texts).toEqual([
    { path: ['kept', '1'], text: '${{ d }}' },
    { path: ['list', '0'], text: '${{ e }}' },
    { path: ['map', 'f'], text: '${{ f }}' },
  ]);
});

describe('a megabyte of values on a thousand clusters', () => {
  const CLUSTERS = Array.from({ length: 1_000 }, (_, index) => own(`c${index}`, { env: 'prod' }));
  const setting = { text: 'x'.repeat(20), on: true };
  const app = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`setting-${index}`, setting]));
  const apps = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`app-${index}`, app]));
  const values = { ...apps, host: '${{ cluster.name }}.example.com' };
  const change = { 'app-0': { 'setting-0': { on: false } } };

  function draftsOf(overrides: readonly object[]): ExpandedDraft[] {
    const layer = { values, overrides };
    const draft = { kind: 'HelmRelease', layer, specPath: 'deploy[0]', path: 'deploy[0]' };
    return CLUSTERS.map((cluster) => ({ ...draft, cluster, clusterName: cluster.id.name }));
  }

  /** As a pass makes them. */
  function made(overrides: readonly object[]): unknown[] {
    const { drafts } = withOverrides(draftsOf(overrides), 'shop');
    const compose = createCompose();
    return drafts.map((draft) => {
      const each = draft.values && compose(draft.values, undefined);
      const [result] = evaluateTexts({ texts: each?.texts ?? [], clusters: [celCluster(draft.cluster!)] });
      return each && result && 'values' in result ? withResults(each, result.values) : result;
    });
  }

  test.each([
    ['no override', []],
    ['one override for all', [{ clusters: { selector: { matchLabels: { env: 'prod' } } }, values: change }]],
    ['an override for each', CLUSTERS.map(({ id }) => ({ clusters: { names: [id.name] }, values: change }))],
  ])('with %s costs what differs between them', (_title, overrides) => {
    expect(JSON.stringify(values).length).toBeGreaterThan(1_000_000);
    let all: unknown[] = [];
    const cost = cpuMsOf(() => (all = made(overrides)));
    const on = overrides.length === 0;
    expect(all).toHaveLength(CLUSTERS.length);
    expect(all.at(-1)).toMatchObject({ host: 'c999.example.com', 'app-0': { 'setting-0': { ...setting, on } } });
    // Walking through all values for each cluster: 40 seconds.
    expect(cost).toBeLessThan(5_000);
  });
});
