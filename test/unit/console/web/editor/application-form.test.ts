import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { ApplicationSpec } from '#api/v1alpha1/application-spec.js';
import {
  addedDestination,
  clusterEdit,
  createsNamespaceEdit,
  formOf,
  newApplication,
  settingsIn,
  targetEdits,
  textEdit,
  textOfField,
  PLACES,
} from '#console/web/editor/model/application-form.js';
import { editYaml, valueAt, type Edit } from '#console/web/model/yaml-edit.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { parseYaml, printYaml } from '#lib/yaml/yaml.js';
import { arbitraryOf, type Schema } from '../../../../support/schema-arbitrary.js';

function after(value: PlainMap, edits: readonly Edit[]): PlainMap {
  const changed = parseYaml(editYaml(printYaml(value), edits));
  if (!isMap(changed)) throw new Error('it is no map any more');
  return changed;
}

const TWO = {
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    syncPolicy: {},
    maxRemovals: 3,
    fluxApp: {
      spec: {
        interval: '1m',
        source: { sourceRef: { kind: 'HelmRepository', name: 'charts' } },
        config: {
          helmRelease: {
            chart: { chart: 'web', version: 1, interval: '5m' },
            deploy: [
              {
                name: 'eu',
                destination: { kubeConfig: { secretRef: { name: 'eu-1' } } },
                values: { a: null },
                mode: 'Once',
              },
              { destination: { clusterSelector: { matchLabels: {} }, targetNamespace: 'x' } },
            ],
          },
        },
      },
    },
  },
};

it('shows an Application, and names what it does not show', () => {
  const { way, destinations, others } = formOf(TWO);
  expect(way).toBe('chart');
  expect(destinations).toMatchObject([
    { name: 'eu', target: 'kubeConfig', cluster: 'eu-1', namespace: '', hasValues: true, others: ['mode'] },
    { name: '', target: 'clusterSelector', cluster: '', namespace: 'x', hasValues: false, others: [] },
  ]);
  expect(settingsIn(TWO)).toEqual(['interval', 'maxRemovals']);
  expect(others).toEqual(['syncPolicy', 'config.helmRelease.chart.interval']);
  expect(textOfField(TWO, PLACES.version)).toBe('1');
});

test.each<[string, object, string | undefined]>([
  ['a template', { config: { helmRelease: { template: 'base', deploy: [] } } }, 'template'],
  ['a template that is not chosen yet', { config: { helmRelease: { template: null, deploy: [] } } }, 'template'],
  ['a chart, beside an empty template', { config: { helmRelease: { template: null, chart: {} } } }, 'chart'],
  ['an inline source', { source: { inline: {} }, config: { helmRelease: { deploy: [] } } }, 'inline'],
  ['files', { config: { kustomization: [] } }, 'files'],
  ['files of templates', { config: { kustomization: [{ template: 'base' }] } }, 'fileTemplate'],
  [
    'files of templates that are not chosen yet',
    { config: { kustomization: [{ template: null }, 1] } },
    'fileTemplate',
  ],
  ['files of a source and of templates', { source: {}, config: { kustomization: [{ template: 'base' }] } }, 'files'],
  ['files that are no list', { config: { kustomization: {} } }, undefined],
  ['both', { config: { kustomization: [], helmRelease: {} } }, undefined],
  ['nothing', {}, undefined],
])('tells %s', (_, spec, way) => {
  expect(formOf({ spec: { fluxApp: { spec } } }).way).toBe(way);
});

describe('a destination', () => {
  const [first, second] = formOf(TWO).destinations;

  it('goes to another cluster, and to no other one while it has no name', () => {
    const chosen = after(TWO, targetEdits(second!, 'kubeConfig'));
    const [, moved] = formOf(chosen).destinations;
    expect(moved).toMatchObject({ target: 'kubeConfig', cluster: '', namespace: 'x' });
    expect(formOf(after(chosen, [clusterEdit(moved!, 'us-1')])).destinations[1]).toMatchObject({ cluster: 'us-1' });
    expect(formOf(after(TWO, [clusterEdit(first!, '')])).destinations[0]).toMatchObject({ target: 'kubeConfig' });
    expect(formOf(after(TWO, targetEdits(first!, 'here'))).destinations[0]).toMatchObject({ target: 'here' });
  });

  it('is added with the namespace of the last one', () => {
    expect(formOf(after(TWO, [addedDestination(formOf(TWO))])).destinations[2]).toMatchObject({
      target: 'here',
      namespace: 'x',
    });
  });

  it('is removed alone', () => {
    const rest = after(TWO, [{ path: first!.path, value: undefined }]);
    expect(formOf(rest).destinations).toMatchObject([{ namespace: 'x' }]);
  });
});

describe('the namespace of a destination', () => {
  const withInstall = (install: unknown): PlainMap => ({
    spec: { fluxApp: { spec: { config: { helmRelease: { deploy: [{ name: 'eu', install }] } } } } },
  });
  test.each<[string, unknown, '' | 'true' | 'false', readonly string[]]>([
    ['is created', { createNamespace: true }, 'true', []],
    ['is not created, beside another field', { createNamespace: false, timeout: '1m' }, 'false', ['install.timeout']],
    ['is said by nobody', null, '', []],
    ['is nonsense', { createNamespace: 'yes' }, '', []],
    ['is nonsense as a whole', 'yes', '', []],
  ])('%s', (_, install, createsNamespace, others) => {
    expect(formOf(withInstall(install)).destinations[0]).toMatchObject({ createsNamespace, others });
  });

  test.each<[string, unknown, '' | 'true' | 'false', unknown]>([
    ['is to be created', undefined, 'true', { createNamespace: true }],
    ['is to be created, beside another field', { timeout: '1m' }, 'true', { timeout: '1m', createNamespace: true }],
    ['is not to be created, whatever the template says', undefined, 'false', { createNamespace: false }],
    ['is said no more', { createNamespace: true }, '', undefined],
    ['is said no more, beside another field', { timeout: '1m', createNamespace: true }, '', { timeout: '1m' }],
  ])('%s', (_, install, chosen, wanted) => {
    const value = withInstall(install);
    const next = after(value, [createsNamespaceEdit(value, formOf(value).destinations[0]!, chosen)]);
    expect(valueAt(next, [...PLACES.deploy, 0, 'install'])).toEqual(wanted);
  });
});

it('unsets what is emptied', () => {
  expect(textEdit(['a'], '')).toEqual({ path: ['a'], value: undefined });
  expect(textEdit(['a'], 'x')).toEqual({ path: ['a'], value: 'x' });
});

it('begins a new one from a template', () => {
  const made = newApplication({ namespace: 'shop', name: 'web', template: 'base@2' });
  expect(formOf(made)).toMatchObject({ way: 'template', name: 'web', destinations: [{ namespace: 'shop' }] });
  expect(textOfField(made, PLACES.template)).toBe('base@2');
});

it('shows whatever an Application says, and changes only the field that is changed', () => {
  const spec = arbitraryOf(ApplicationSpec as Schema, 'spec') as fc.Arbitrary<PlainMap>;
  fc.assert(
    fc.property(spec, (generated) => {
      const value = { metadata: { name: 'web', namespace: 'shop' }, spec: generated };
      const form = formOf(value);
      for (const { path } of form.destinations.slice(0, 1)) {
        const next = after(value, [textEdit([...path, 'name'], 'other')]);
        expect(formOf(next).destinations).toEqual([
          { ...form.destinations[0], name: 'other' },
          ...form.destinations.slice(1),
        ]);
        expect(formOf(next).others).toEqual(form.others);
      }
    }),
    { numRuns: 25 },
  );
});

test.each([
  {},
  { spec: 1 },
  { spec: { fluxApp: [] } },
  { spec: { fluxApp: { spec: { config: { kustomization: [1] } } } } },
])('never throws: %j', (value) => {
  expect(formOf(value).name).toBe('');
});
