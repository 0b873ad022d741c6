import { describe, expect, test } from '@jest/globals';
import {
  chartReadiness,
  desiredHelmChart,
  isHelmChartCurrent,
  isNewsForReleases,
} from '#controllers/helmrelease/model/helm-chart.js';
import type { ExternalArtifact } from '#api/flux/external-artifact.js';
import type { OCIRepository } from '#api/flux/oci-repository.js';
import type { Condition } from '#api/meta.js';
import type { HelmChart, HelmRelease } from '#controllers/helmrelease/model/types.js';
import { helmRelease } from './builders.js';

type Template = NonNullable<HelmRelease['spec']['chart']>;

function template(spec: Partial<Template['spec']> = {}, metadata?: Template['metadata']): Template {
  const sourceRef = { kind: 'HelmRepository' as const, name: 'charts' };
  return { spec: { chart: 'web', sourceRef, ...spec }, ...(metadata === undefined ? {} : { metadata }) };
}

function desired(spec: Partial<Template['spec']> = {}, metadata?: Template['metadata']): HelmChart {
  return desiredHelmChart(helmRelease(), template(spec, metadata));
}

describe('desiredHelmChart', () => {
  test('has Flux’s name, labels and defaults', () => {
    expect(desired()).toEqual({
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'HelmChart',
      metadata: {
        name: 'shop-web',
        namespace: 'shop',
        labels: { 'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'shop' },
      },
      spec: {
        chart: 'web',
        version: '*',
        interval: '10m0s',
        reconcileStrategy: 'ChartVersion',
        sourceRef: { kind: 'HelmRepository', name: 'charts' },
      },
    });
  });

  test('lives next to its source, which it names without a namespace', () => {
    const chart = desired({ sourceRef: { kind: 'GitRepository', name: 'apps', namespace: 'sources' } });
    expect(chart.metadata.namespace).toBe('sources');
    expect(chart.spec.sourceRef).toEqual({ kind: 'GitRepository', name: 'apps' });
  });

  test('takes what the template says', () => {
    const chart = desired({ version: '1.x', interval: '1h', valuesFiles: ['a.yaml'] }, { annotations: { a: 'b' } });
    expect(chart.spec).toMatchObject({ version: '1.x', interval: '1h0m0s', valuesFiles: ['a.yaml'] });
    expect(chart.metadata.annotations).toEqual({ a: 'b' });
  });
});

describe('isHelmChartCurrent', () => {
  const cases: [string, HelmChart, boolean][] = [
    ['the same', desired(), true],
    ['another spelling of the interval', { ...desired(), spec: { ...desired().spec, interval: '600s' } }, true],
    ['another interval', { ...desired(), spec: { ...desired().spec, interval: '601s' } }, false],
    ['a user’s own fields', { ...desired(), spec: { ...desired().spec, suspend: true } }, true],
    [
      'a default that the server wrote',
      { ...desired(), spec: { ...desired().spec, ignoreMissingValuesFiles: false } },
      true,
    ],
    ['another version', desired({ version: '2' }), false],
    ['values files that are not wanted any more', desired({ valuesFiles: ['a.yaml'] }), false],
    ['a missing label', { ...desired(), metadata: { name: 'shop-web', namespace: 'shop' } }, false],
  ];

  test.each(cases)('with %s', (_name, live: HelmChart, expected) => {
    expect(isHelmChartCurrent(live, desired())).toBe(expected);
  });
});

describe('chartReadiness', () => {
  const artifact = { path: 'p', url: 'u', revision: '1.0.0', digest: 'sha256:a', lastUpdateTime: 't', size: 1 };
  const chart = (status: HelmChart['status']): HelmChart => ({
    ...desired(),
    metadata: { name: 'shop-web', namespace: 'shop', generation: 2 },
    ...(status === undefined ? {} : { status }),
  });
  const ready = (status: 'True' | 'False', message = ''): Condition[] => [
    { type: 'Ready', status, reason: 'R', message, lastTransitionTime: '' },
  ];

  const stalled: Condition = { type: 'Stalled', status: 'True', reason: 'R', message: '', lastTransitionTime: '' };

  test('gives what it has while its source is away', () => {
    const status = { observedGeneration: 2, conditions: ready('False', 'timeout'), artifact };
    expect(chartReadiness(chart(status))).toHaveProperty('artifact.digest', 'sha256:a');
  });

  test('gives the artifact of the generation that is wanted', () => {
    const status = { observedGeneration: 2, conditions: ready('True'), artifact };
    expect(chartReadiness(chart(status))).toEqual({ artifact });
  });

  test.each<[string, HelmChart['status'], string]>([
    ['no status', undefined, 'latest generation of object has not been reconciled'],
    [
      'an older generation',
      { observedGeneration: 1, conditions: ready('True'), artifact },
      'latest generation of object has not been reconciled',
    ],
    ['no artifact', { observedGeneration: 2, conditions: ready('True') }, 'it has no artifact yet'],
    [
      'a problem with what is wanted',
      { observedGeneration: 1, conditions: ready('False', 'no such chart'), artifact },
      'no such chart',
    ],
    [
      'a problem that will not go by itself',
      { observedGeneration: 2, conditions: [...ready('False', 'no such chart'), stalled], artifact },
      'no such chart',
    ],
    [
      'a problem before the first artifact',
      { observedGeneration: 2, conditions: ready('False', 'timeout') },
      'timeout',
    ],
  ])('with %s says so', (_name, status, why) => {
    expect(chartReadiness(chart(status))).toEqual({ waiting: `HelmChart 'shop/shop-web' is not ready: ${why}` });
  });

  test.each<[string, ExternalArtifact['status'], object]>([
    [
      'its artifact, whatever else it says',
      { artifact, conditions: [...ready('False', 'later'), stalled] },
      { artifact },
    ],
    ['what it says, without one', { conditions: ready('False', 'no build yet') }, { waiting: /no build yet$/ }],
    ['that it has none', undefined, { waiting: /it has no artifact yet$/ }],
  ])('of an ExternalArtifact gives %s', (_name, status, expected) => {
    const source: ExternalArtifact = {
      ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'ExternalArtifact' },
      metadata: { name: 'web', namespace: 'shop', generation: 3 },
      ...(status === undefined ? {} : { status }),
    };
    const waiting = 'waiting' in expected ? { waiting: expect.stringMatching(expected.waiting as RegExp) } : expected;
    expect(chartReadiness(source)).toEqual(waiting);
  });

  test('names the kind of the source', () => {
    const repository: OCIRepository = {
      ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'OCIRepository' },
      ...{ metadata: { name: 'web', namespace: 'shop', generation: 1 }, spec: { interval: '1m', url: 'oci://r/web' } },
      status: { observedGeneration: 1 },
    };
    const waiting = "OCIRepository 'shop/web' is not ready: it has no artifact yet";
    expect(chartReadiness(repository)).toEqual({ waiting });
  });
});

describe('isNewsForReleases', () => {
  const artifact = { path: 'p', url: 'u', revision: '1.0.0', digest: 'sha256:a', lastUpdateTime: 't', size: 1 };
  const condition = (type: string, status: 'True' | 'False', message = ''): Condition => ({
    ...{ type, status, reason: 'R', message, lastTransitionTime: '' },
  });
  const at = (status: OCIRepository['status'], generation = 1): OCIRepository => ({
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'OCIRepository' },
    metadata: { name: 'web', namespace: 'shop', generation, resourceVersion: '1' },
    spec: { interval: '1m', url: 'oci://r/web' },
    status: { observedGeneration: 1, ...status },
  });

  test.each<[string, boolean, OCIRepository, OCIRepository]>([
    [
      'an artifact that was fetched again',
      false,
      at({ artifact }),
      at({ artifact: { ...artifact, lastUpdateTime: 'u' } }),
    ],
    ['an annotation that was handled', false, at({ artifact }), at({ artifact, lastHandledReconcileAt: 'now' })],
    [
      'an upstream that is away, while there is an artifact',
      false,
      at({ artifact, conditions: [condition('Ready', 'True')] }),
      at({ artifact, conditions: [condition('Ready', 'False', 'timeout')] }),
    ],
    ['the first artifact', true, at({}), at({ artifact })],
    ['another digest', true, at({ artifact }), at({ artifact: { ...artifact, digest: 'sha256:b' } })],
    ['another revision', true, at({ artifact }), at({ artifact: { ...artifact, revision: '1.0.1' } })],
    ['another URL', true, at({ artifact }), at({ artifact: { ...artifact, url: 'v' } })],
    ['another spec', true, at({ artifact }), at({ artifact }, 2)],
    ['a spec that was observed', true, at({ artifact }, 2), at({ artifact, observedGeneration: 2 }, 2)],
    ['a source that is stalled', true, at({ artifact }), at({ artifact, conditions: [condition('Stalled', 'True')] })],
    [
      'another problem, while there is no artifact',
      true,
      at({ conditions: [condition('Ready', 'False', 'timeout')] }),
      at({ conditions: [condition('Ready', 'False', 'not found')] }),
    ],
  ])('%s: %s', (_name, expected, previous, source) => {
    expect(isNewsForReleases(source, previous)).toBe(expected);
  });
});
