import { describe, expect, it } from '@jest/globals';
import type { FluxApplicationSpec } from '#api/v1alpha1/application.js';
import { normalForm } from '#controllers/application/model/spec/flux-spec.js';
import { CHART, deploy, SOURCE, type Deploy } from './builders.js';

function helm(entry: Deploy, more: Partial<FluxApplicationSpec> = {}): FluxApplicationSpec {
  return { source: SOURCE, config: { helmRelease: { chart: CHART, deploy: [entry] } }, ...more };
}

function rendered(kustomize: NonNullable<NonNullable<Deploy['postRenderers']>[number]['kustomize']>) {
  const spec = normalForm(helm(deploy('prod', undefined, { postRenderers: [{ kustomize }] })));
  return spec.config.helmRelease?.deploy[0]?.postRenderers?.[0]?.kustomize;
}

describe('the normal form of what a user says', () => {
  it.each<[string, FluxApplicationSpec, FluxApplicationSpec]>([
    [
      'of an entry',
      helm({ destination: { targetNamespace: '' }, releaseName: '', storageNamespace: '', serviceAccountName: '' }),
      helm({ destination: {} }),
    ],
    [
      'of the key of a kubeconfig',
      helm({ destination: { kubeConfig: { secretRef: { name: 'eu', key: '' } } } }),
      helm({ destination: { kubeConfig: { secretRef: { name: 'eu' } } } }),
    ],
    [
      'of a source, a chart and a template',
      {
        source: { sourceRef: { ...SOURCE.sourceRef, namespace: '' } },
        config: { helmRelease: { chart: { ...CHART, version: '' }, template: '', deploy: [] } },
      },
      { source: SOURCE, config: { helmRelease: { chart: { chart: CHART.chart }, deploy: [] } } },
    ],
    [
      'of files',
      { config: { serviceAccountName: '', kustomization: [{ template: '', path: '', name: '' }] } },
      { config: { kustomization: [{}] } },
    ],
  ])('passes over an empty text %s', (_, written, meant) => {
    expect(normalForm(written)).toEqual(meant);
  });

  it('passes over values files without a name', () => {
    const written = (valuesFiles: string[]): FluxApplicationSpec => ({
      config: { helmRelease: { chart: { ...CHART, valuesFiles }, deploy: [] } },
    });
    expect(normalForm(written(['', 'eu.yaml', '']))).toEqual(written(['eu.yaml']));
    expect(normalForm(written(['']))).toEqual(written([]));
  });

  it('keeps an empty text where one is needed: a cluster without a name is never the host', () => {
    const nameless = helm({ destination: { kubeConfig: { secretRef: { name: '' } } } });
    expect(normalForm(nameless)).toEqual(nameless);
  });

  it('keeps empty texts in values, labels and lists', () => {
    const ignore = [{ paths: [''] }];
    const spec = helm(deploy('prod', 'eu', { values: { a: '', b: { c: '' } }, driftDetection: { ignore } }));
    const labelled = { ...spec, config: { kustomization: [{ commonMetadata: { labels: { a: '' } } }] } };
    expect(normalForm(spec)).toBe(spec);
    expect(normalForm(labelled)).toBe(labelled);
  });

  it('is itself in normal form, and the same object each time', () => {
    const spec = helm(deploy('', 'eu', { postRenderers: [{ kustomize: { patchesStrategicMerge: [{ a: 1 }] } }] }));
    const normal = normalForm(spec);
    expect(normalForm(spec)).toBe(normal);
    expect(normalForm(normal)).toEqual(normal);
  });

  it('has one list of patches, in the order in which kustomize applies the older ones', () => {
    const target = { kind: 'Deployment' };
    const operations = [{ op: 'replace', path: '/spec/replicas', value: '' }];
    const images = [{ name: 'a', newTag: '2' }];
    const merge = { kind: 'Deployment', metadata: { name: 'web' }, spec: { paused: null } };
    const given = {
      patchesJson6902: [{ target, patch: operations }],
      patches: [{ patch: 'b: 1' }],
      patchesStrategicMerge: [merge],
      images,
    };
    expect(rendered(given)).toEqual({
      images,
      patches: [{ patch: JSON.stringify(merge) }, { patch: 'b: 1' }, { patch: JSON.stringify(operations), target }],
    });
    expect(rendered({ images })).toEqual({ images });
  });
});
