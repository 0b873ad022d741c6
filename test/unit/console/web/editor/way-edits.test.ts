import { expect, it, test } from '@jest/globals';
import { formOf, newApplication, PLACES, WAYS } from '#console/web/editor/model/application-form.js';
import { wayEdits } from '#console/web/editor/model/ways.js';
import { editYaml, valueAt, type Edit } from '#console/web/model/yaml-edit.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { parseYaml, printYaml } from '#lib/yaml/yaml.js';

function after(value: PlainMap, edits: readonly Edit[]): PlainMap {
  const changed = parseYaml(editYaml(printYaml(value), edits));
  if (!isMap(changed)) throw new Error('it is no map any more');
  return changed;
}

function specOf(value: PlainMap): unknown {
  return valueAt(value, ['spec', 'fluxApp', 'spec']);
}

const EU = { name: 'eu', destination: { kubeConfig: { secretRef: { name: 'eu-1' } } } };
const X = { destination: { clusterSelector: { matchLabels: {} }, targetNamespace: 'x' } };
const helmRelease = { chart: { chart: 'web' }, deploy: [{ ...EU, values: { a: null } }, X] };
const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } };
const TWO = { spec: { fluxApp: { spec: { interval: '1m', source, config: { helmRelease } } } } };

it('makes it of something else, and keeps where it goes', () => {
  const files = after(TWO, wayEdits(TWO, 'files'));
  expect(specOf(files)).toEqual({
    interval: '1m',
    source: { sourceRef: { kind: 'GitRepository' } },
    config: {
      kustomization: [
        { name: 'eu', destination: { kubeConfig: { secretRef: { name: 'eu-1' } } }, path: './', prune: true },
        { destination: { clusterSelector: { matchLabels: {} }, targetNamespace: 'x' }, path: './', prune: true },
      ],
    },
  });
  const template = after(files, wayEdits(files, 'template'));
  expect(formOf(template)).toMatchObject({ way: 'template', destinations: [{ cluster: 'eu-1' }, { namespace: 'x' }] });
});

test.each(WAYS.flatMap((from) => WAYS.filter((to) => to !== from).map((to) => [from, to] as const)))(
  'goes from %s to %s',
  (from, to) => {
    const first = after(newApplication({}), from === 'chart' ? [] : wayEdits(newApplication({}), from));
    expect(formOf(first).way).toBe(from);
    const next = after(first, wayEdits(first, to));
    expect(formOf(next)).toMatchObject({ way: to, destinations: [{ namespace: 'default' }] });
  },
);

it('keeps what entries of files say, besides where the files are', () => {
  const kustomization = [
    { ...EU, path: './eu', prune: false, wait: true },
    { ...X, prune: true },
  ];
  const files = {
    spec: { fluxApp: { spec: { source: { sourceRef: { kind: 'Bucket' } }, config: { kustomization } } } },
  };
  const templates = after(files, wayEdits(files, 'fileTemplate'));
  expect(specOf(templates)).toEqual({
    config: {
      kustomization: [
        { ...EU, template: null, prune: false, wait: true },
        { ...X, template: null, prune: true },
      ],
    },
  });
  const back = after(templates, wayEdits(templates, 'files'));
  expect(valueAt(back, PLACES.files)).toEqual([
    { ...EU, path: './', prune: false, wait: true },
    { ...X, path: './', prune: true },
  ]);
});

it('keeps the template, and what differs from it, of entries of a mixed list', () => {
  const named = { ...EU, template: 'shop', path: './eu', prune: false };
  const mixed = (spec: object): PlainMap => ({ spec: { fluxApp: { spec } } });
  const kustomization = [named, { ...X, path: './x', prune: true }, { ...X, template: '', path: './y' }];
  const files = mixed({ source: { sourceRef: { kind: 'Bucket' } }, config: { kustomization } });
  expect(specOf(after(files, wayEdits(files, 'fileTemplate')))).toEqual({
    config: { kustomization: [named, { ...X, template: null, prune: true }, { ...X, template: null }] },
  });
});
