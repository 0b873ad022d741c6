import { expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { readText, textOf, toSend } from '#console/web/editor/model/application-text.js';
import { ApplicationSpec } from '#api/v1alpha1/application-spec.js';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import { editYaml } from '#console/web/model/yaml-edit.js';
import { arbitraryOf, type Schema } from '../../../../support/schema-arbitrary.js';

const LAST = 'kubectl.kubernetes.io/last-applied-configuration';
const BASE = {
  ...{ namespace: 'shop', name: 'web', labels: { team: 'a' }, resourceVersion: '7' },
  annotations: { [LAST]: '{}', note: 'x' },
  spec: { kind: 'fluxcd' },
};

it('shows an Application as a manifest, without what is kubectl’s own', () => {
  expect(textOf(BASE)).toBe(
    [
      'apiVersion: gitops.kubesphere.io/v1alpha1',
      'kind: Application',
      'metadata:',
      '  name: web',
      '  namespace: shop',
      '  labels:',
      '    team: a',
      '  annotations:',
      '    note: x',
      'spec:',
      '  kind: fluxcd',
      '',
    ].join('\n'),
  );
});

it('sends it with the version that was read, and what was not shown', () => {
  const read = readText(textOf(BASE));
  expect('value' in read && toSend(read.value, BASE)).toMatchObject({
    metadata: { name: 'web', labels: { team: 'a' }, annotations: { [LAST]: '{}', note: 'x' }, resourceVersion: '7' },
  });
});

it('neither shows nor loses what the controller says of the state', () => {
  const health = { 'gitops.kubesphere.io/health-status': 'Degraded' };
  const revision = { 'gitops.kubesphere.io/last-revision': '1.2.3' };
  const base = { ...BASE, labels: { ...BASE.labels, ...health }, annotations: { ...BASE.annotations, ...revision } };
  expect(textOf(base)).toBe(textOf(BASE));
  const read = readText(textOf(base).replace('    team: a', '    gitops.kubesphere.io/health-status: Healthy'));
  expect('value' in read && toSend(read.value, base)['metadata']).toMatchObject({
    labels: health,
    annotations: { note: 'x', ...revision },
  });
});

it('removes labels and annotations that are gone from the text', () => {
  const read = readText('apiVersion: v1\nmetadata: {name: web}\nspec: {}\n');
  const { metadata } = 'value' in read ? toSend(read.value, BASE) : {};
  expect(metadata).toEqual({ name: 'web', labels: {}, annotations: { [LAST]: '{}' }, resourceVersion: '7' });
});

it('sends a new one as it is written', () => {
  expect(toSend({ a: 1 })).toEqual({ a: 1 });
});

test.each<[string, string, object]>([
  ['a line', 'a: 1\nb: [\n', { line: 3, column: 1 }],
  ['a tab', 'a:\n\tb: 1\n', { line: 2, column: 1 }],
  ['no place', '- 1\n', { text: 'There is no object: it begins with apiVersion, kind, metadata and spec.' }],
  ['nothing', '', { text: 'There is no object: it begins with apiVersion, kind, metadata and spec.' }],
  ['two documents', 'a: 1\n---\nb: 1\n', { text: 'There are several documents: keep one.' }],
  ['a number without form', 'a: .inf\n', {}],
])('says what is wrong with a text: %s', (_, text, problem) => {
  expect(readText(text)).toMatchObject({ problem });
});

it('reads one document between empty ones', () => {
  expect(readText('---\na: 1\n---\n')).toEqual({ value: { a: 1 } });
});

it('gives back any Application as it was, whatever it holds', () => {
  const spec = arbitraryOf(ApplicationSpec as Schema, 'spec') as fc.Arbitrary<object>;
  const texts = fc.dictionary(fc.string(), fc.string({ unit: 'binary' }), { maxKeys: 2, noNullPrototype: true });
  fc.assert(
    fc.property(spec, texts, (generated, labels) => {
      const application = { ...BASE, annotations: {}, labels, spec: generated };
      const read = readText(editYaml(textOf(application), []));
      const { metadata, spec: sent } = 'value' in read ? toSend(read.value, application) : {};
      expect(printJson(sent)).toBe(printJson(generated));
      expect(metadata).toEqual({ name: 'web', namespace: 'shop', labels, annotations: {}, resourceVersion: '7' });
    }),
    { numRuns: 25 },
  );
});

it('keeps each digit of a number', () => {
  const spec = parseJson('{"values":{"id":12345678901234567890,"rate":1e-7,"gone":null}}') as object;
  const read = readText(textOf({ ...BASE, spec }));
  expect(printJson('value' in read && read.value['spec'])).toBe(printJson(spec));
});
