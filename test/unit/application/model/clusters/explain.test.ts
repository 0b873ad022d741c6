import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Application } from '#api/v1alpha1/application.js';
import type { RevisionSpec, Template } from '#api/v1alpha1/template.js';
import { backendOf } from '#controllers/application/model/backends/index.js';
import { CelBudget } from '#lib/cel/cel.js';
import { evaluateTexts } from '#controllers/application/model/destinations/cel-values.js';
import {
  celCluster,
  createCompose,
  explain,
  type ExplainedValue,
  type Explanation,
  withResults,
} from '#controllers/application/model/destinations/personal-values.js';
import { entryLayers } from '#controllers/application/model/destinations/entries.js';
import type { Layer } from '#controllers/application/model/child/layers.js';
import type { Entry } from '#controllers/application/model/child/types.js';
import { type Valid, validate } from '#controllers/application/model/destinations/validate.js';
import { isMap } from '#lib/plain.js';
import { application, type Deploy, NO_TEMPLATES, SOURCE } from '../builders.js';
import { inventory, own, selecting } from './builders.js';

const CLUSTER = own('eu', { env: 'prod' });
const PATH = 'spec.fluxApp.spec.config.helmRelease.deploy[0]';
const TEMPLATE = 'HelmTemplate shop/base@3';

interface Layers {
  readonly template?: Layer;
  readonly entry?: Layer;
  readonly rendered?: Layer | undefined;
  readonly overrides?: readonly Layer[];
}

function withTemplate(values: Layer): typeof NO_TEMPLATES {
  const metadata = { name: 'base', namespace: 'shop', uid: 'uid-2' };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: '' }];
  const template = {
    apiVersion: '',
    kind: 'HelmTemplate',
    metadata,
    status: { observedGeneration: 1, revision: 3, conditions },
  };
  const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: 'shop' };
  const spec = { sourceRef, chart: { chart: 'web' }, values, deploy: { timeout: '2m', maxHistory: 3 } };
  return {
    ...NO_TEMPLATES,
    template: () => template as unknown as Template, // what the lookup reads of one
    revision: () => spec as RevisionSpec, // as the API server has it
  };
}

function applicationOf({ template, entry, rendered, overrides = [] }: Layers): Application {
  const deploy = {
    ...selecting({ env: 'prod' }),
    ...(entry !== undefined && { values: entry }),
    ...(rendered !== undefined && { valuesTemplate: 'a: 1' }),
    overrides: overrides.map((values) => ({ clusters: { names: ['eu'] }, values })),
  } as Deploy; // values are open
  const chart = template === undefined ? { chart: { chart: 'web' } } : { template: 'base' };
  const config = { helmRelease: { ...chart, deploy: [deploy] }, timeout: '1m', suspend: false };
  return application([], {
    spec: { kind: 'fluxcd', fluxApp: { spec: { source: SOURCE, interval: '5m', config } } },
  });
}

function validOf(app: Application, template: Layer | undefined): Valid {
  const templates = template === undefined ? NO_TEMPLATES : withTemplate(template);
  const valid = validate(app, { templates, clusters: inventory([CLUSTER]) }, { allowCrossNamespace: true });
  if (valid === 'pending' || 'violation' in valid) throw new Error(JSON.stringify(valid));
  return valid;
}

/** As the controller makes the values of the only entry. */
function madeOf({ entries: [entry] }: Valid, rendered: Layer | undefined): Entry {
  if (entry?.values === undefined) throw new Error('the cluster is of the inventory');
  const values = createCompose()(entry.values, rendered);
  if (values === undefined) return entry;
  const question = { texts: values.texts, clusters: [celCluster(CLUSTER)] };
  // However busy the machine is.
  const [results] = evaluateTexts(question, () => new CelBudget(undefined, 60_000));
  if (results === undefined || 'problem' in results) throw new Error(JSON.stringify(results));
  return { ...entry, fields: { ...entry.fields, values: withResults(values, results.values) } };
}

/** What is said of them, and what the child has. */
function explainedOf(app: Application, { template, rendered }: Layers): { said: Explanation; child: unknown } {
  const valid = validOf(app, template);
  const entry = madeOf(valid, rendered);
  const below = entryLayers(app, valid.resolved.templateOf).get(entry.specPath) ?? [];
  const child = backendOf(entry.release).desiredSpec(valid.resolved.application, entry, undefined)['values'];
  return { said: explain({ entry, below, rendered }), child };
}

function explained(layers: Layers) {
  return explainedOf(applicationOf(layers), layers);
}

/** The explained values, put together by their paths. */
function assembled(values: readonly ExplainedValue[]): unknown {
  const [first] = values;
  if (first === undefined) return undefined;
  if (first.path.length === 0) return first.value;
  const keys = [...new Set(values.map(({ path }) => path[0] ?? ''))];
  return Object.fromEntries(
    keys.map((key) => {
      const inside = values.filter(({ path }) => path[0] === key);
      return [key, assembled(inside.map((each) => ({ ...each, path: each.path.slice(1) })))];
    }),
  );
}

const KEYS = ['a', 'b', 'c.d', '0', '__proto__', 'constructor', ''];
const { map } = fc.letrec<{ tree: unknown; map: Layer }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, false, true, 0, 1, '', 'text', [], {}),
    fc.constantFrom('${{ cluster.labels.env }}', '${{ cluster.labels }}', 'x-${{ cluster.name }}', '$${{ x'),
    fc.array(fc.constantFrom(null, 1, '${{ cluster.name }}', {}), { maxLength: 2 }),
    tie('map'),
  ),
  map: fc.dictionary(fc.constantFrom(...KEYS), tie('tree'), { maxKeys: 3 }),
}));
const layers: fc.Arbitrary<Layers> = fc.record(
  { template: map, entry: map, rendered: map, overrides: fc.array(map, { maxLength: 3 }) },
  { requiredKeys: [] },
);

describe('what is explained', () => {
  test('adds up to the values of the child, whatever the layers say', () => {
    fc.assert(
      fc.property(layers, (all) => {
        const { said, child } = explained(all);
        expect(JSON.stringify(assembled(said.values))).toBe(JSON.stringify(child));
      }),
    );
  });

  test('is of a layer that says it, as long as it holds no expression', () => {
    fc.assert(
      fc.property(layers, (all) => {
        const { template = {}, entry = {}, rendered = {}, overrides = [] } = all;
        const byName = new Map<string, Layer>([
          [TEMPLATE, template],
          [PATH, entry],
          [`${PATH}.valuesTemplate`, rendered],
          ...overrides.map((layer, index) => [`${PATH}.overrides[${index}]`, layer] as const),
        ]);
        for (const { path, value, from, written = value } of explained(all).said.values) {
          const place = path.reduce<unknown>((tree, key) => (isMap(tree) ? tree[key] : undefined), byName.get(from));
          expect(place).toEqual(written);
        }
      }),
    );
  });

  test('names what it replaced, and its layer', () => {
    const { said } = explained({
      template: { debug: true, zones: ['a'], log: { level: 'info' } },
      entry: { replicas: 1, debug: null, host: '${{ cluster.name }}.example.com' },
      rendered: { replicas: 2, log: 'none' },
      overrides: [{ replicas: 3, zones: ['b'] }, { debug: false }],
    });
    expect(said.values).toEqual([
      { path: ['debug'], value: false, from: `${PATH}.overrides[1]`, overrode: { value: null, from: PATH } },
      { path: ['zones'], value: ['b'], from: `${PATH}.overrides[0]`, overrode: { value: ['a'], from: TEMPLATE } },
      {
        path: ['log'],
        value: 'none',
        from: `${PATH}.valuesTemplate`,
        overrode: { value: { level: 'info' }, from: TEMPLATE },
      },
      {
        ...{ path: ['replicas'], value: 3, from: `${PATH}.overrides[0]` },
        overrode: { value: 2, from: `${PATH}.valuesTemplate` },
      },
      { path: ['host'], value: 'eu.example.com', from: PATH, written: '${{ cluster.name }}.example.com' },
    ]);
  });

  test('are the other fields, too: of constants, the Application, its template and the entry', () => {
    const { said } = explained({ template: {}, entry: {} });
    expect(said.fields).toEqual([
      {
        ...{ path: ['interval'], value: '5m', from: 'spec.fluxApp.spec.interval' },
        overrode: { value: '10m', from: 'default' },
      },
      { path: ['suspend'], value: false, from: 'spec.fluxApp.spec.config.suspend' },
      {
        ...{ path: ['timeout'], value: '2m', from: TEMPLATE },
        overrode: { value: '1m', from: 'spec.fluxApp.spec.config.timeout' },
      },
      { path: ['maxHistory'], value: 3, from: TEMPLATE },
      { path: ['destination', 'targetNamespace'], value: 'web', from: PATH },
    ]);
  });

  test('is said once of a map that replaced a value: not of each value in it', () => {
    const { said } = explained({ entry: { a: 1 }, overrides: [{ a: { b: 2, c: 3 } }] });
    expect(said.values).toEqual([
      { path: ['a', 'b'], value: 2, from: `${PATH}.overrides[0]`, overrode: { value: 1, from: PATH } },
      { path: ['a', 'c'], value: 3, from: `${PATH}.overrides[0]` },
    ]);
  });
});

describe('one key that every layer has', () => {
  /** The weakest first; below them are the values of the chart. */
  const LAYERS: readonly (readonly [from: string, more: (layers: Layers) => Layers])[] = [
    [TEMPLATE, (under) => ({ ...under, template: { size: 'template' } })],
    [PATH, (under) => ({ ...under, entry: { size: 'entry' } })],
    [`${PATH}.valuesTemplate`, (under) => ({ ...under, rendered: { size: 'valuesTemplate' } })],
    [`${PATH}.overrides[0]`, (under) => ({ ...under, overrides: [{ size: 'first' }] })],
    [`${PATH}.overrides[1]`, (under) => ({ ...under, overrides: [{ size: 'first' }, { size: 'second' }] })],
  ];
  const WORDS = ['template', 'entry', 'valuesTemplate', 'first', 'second'];

  test.each([0, 1, 2, 3, 4, 5])('has the value of the strongest of %d above the chart', (count) => {
    const layers = LAYERS.slice(0, count).reduce<Layers>((under, [, more]) => more(under), {});
    const { said, child } = explained(layers);
    const [value, below] = [WORDS[count - 1], WORDS[count - 2]];
    // Without a layer, the child says nothing, so that the chart decides.
    expect(child).toEqual(value === undefined ? undefined : { size: value });
    expect(said.values).toEqual(
      value === undefined
        ? []
        : [
            {
              ...{ path: ['size'], value, from: LAYERS[count - 1]?.[0] },
              ...(below !== undefined && { overrode: { value: below, from: LAYERS[count - 2]?.[0] } }),
            },
          ],
    );
  });

  test('names the files of the chart as what lies below, for a template and for a chart of its own', () => {
    const unread = (layers: Layers): string[] => {
      const { entries, resolved } = validOf(applicationOf(layers), layers.template);
      return entries.flatMap((entry) => backendOf(entry.release).unreadValues(resolved.application, entry));
    };
    const chart = ['values.yaml of chart web'];
    expect([unread({ template: { size: 'template' } }), unread({ entry: { size: 'entry' } })]).toEqual([chart, chart]);
  });
});
