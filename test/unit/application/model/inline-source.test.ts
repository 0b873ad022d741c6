import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FluxApplicationSpec } from '#api/v1alpha1/application.js';
import type { InlineSource } from '#api/v1alpha1/inline-source.js';
import {
  isMadeSource,
  madeSource,
  madeSourceName,
  withMadeSource,
} from '#controllers/application/model/spec/inline-source.js';
import { deploy } from './builders.js';

const HTTPS = { repo: 'https://charts.example.com/stable', chart: 'web' };
const LAYER = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', operation: 'copy' };

function specOf(inline: InlineSource, more: Partial<FluxApplicationSpec> = {}): FluxApplicationSpec {
  return { source: { inline }, config: { helmRelease: { deploy: [deploy('prod')] } }, ...more };
}

function nameOf(inline: InlineSource, interval?: string): string {
  return madeSourceName(madeSource(inline, interval));
}

describe('the Flux source', () => {
  it('of a Helm repository has its credentials', () => {
    const inline = { ...HTTPS, version: '1.x', secretRef: { name: 'login' }, caSecretRef: { name: 'ca' } };
    expect(madeSource(inline, '5m')).toEqual({
      kind: 'HelmRepository',
      spec: { url: HTTPS.repo, interval: '5m', secretRef: { name: 'login' }, certSecretRef: { name: 'ca' } },
    });
  });

  it.each<[string, InlineSource, object]>([
    ['with an exact version', { repo: 'oci://r.io/a/web', version: '1.2.3' }, { ref: { tag: '1.2.3' } }],
    ['with build metadata', { repo: 'oci://r.io/a/web', version: '1.2.3-rc.1+5' }, { ref: { tag: '1.2.3-rc.1_5' } }],
    ['with a range', { repo: 'oci://r.io/a/web', version: '1.2' }, { ref: { semver: '1.2' } }],
    ['with a v, which tags may lack', { repo: 'oci://r.io/a/web', version: 'v1.2.3' }, { ref: { semver: 'v1.2.3' } }],
    ['without a version', { repo: 'oci://r.io/a/web' }, { ref: { semver: '*' } }],
    ['without TLS', { repo: 'oci://r.io/a/web', insecureSkipTLS: true }, { ref: { semver: '*' }, insecure: true }],
    ['in two parts', { repo: 'oci://r.io/a/', chart: 'web', insecureSkipTLS: false }, { ref: { semver: '*' } }],
  ])('of a registry %s', (_name, inline, more) => {
    const spec = { url: 'oci://r.io/a/web', interval: '10m', layerSelector: LAYER, ...more };
    expect(madeSource(inline)).toEqual({ kind: 'OCIRepository', spec });
  });

  it('is named after its host and whole spec', () => {
    expect(nameOf(HTTPS)).toMatch(/^inline-charts-example-com-[a-z2-7]{10}$/);
    const variants: InlineSource[] = [
      HTTPS,
      { ...HTTPS, repo: 'https://charts.example.com/other' },
      { ...HTTPS, secretRef: { name: 'login' } },
      { ...HTTPS, secretRef: { name: 'other' } },
      { ...HTTPS, caSecretRef: { name: 'login' } },
      { repo: 'oci://charts.example.com/stable' },
      { repo: 'oci://charts.example.com/stable', version: '1.2.3' },
      { repo: 'oci://charts.example.com/stable', insecureSkipTLS: true },
    ];
    const names = [...variants.map((each) => nameOf(each)), nameOf(HTTPS, '5m')];
    expect(new Set(names).size).toBe(names.length);
  });

  it('of a repository is shared by its charts', () => {
    expect(nameOf({ ...HTTPS, chart: 'shop', version: '2.x' })).toBe(nameOf(HTTPS));
  });

  it('has a valid name that shows no login, whatever it is made of', () => {
    expect(nameOf({ repo: 'https://me:secret@charts.example.com' })).toMatch(/^inline-charts-example-com-/);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.webUrl(), (junk, url) => {
        for (const repo of [junk, url, `oci://${junk}`]) {
          expect(nameOf({ repo, chart: junk })).toMatch(/^inline-([a-z0-9-]*-)?[a-z2-7]{10}$/);
          expect(nameOf({ repo, chart: junk }).length).toBeLessThanOrEqual(63);
        }
      }),
    );
  });

  it('is known by its label', () => {
    const metadata = { name: 'x', labels: { 'gitops.kubesphere.io/inline-source': 'true' } };
    expect(isMadeSource({ apiVersion: 'v1', kind: 'HelmRepository', metadata })).toBe(true);
    expect(isMadeSource({ apiVersion: 'v1', kind: 'HelmRepository', metadata: { name: 'x' } })).toBe(false);
  });
});

describe('a spec with an inline source', () => {
  it('refers to the source and the chart in it, checked at the interval of the Application', () => {
    const { source, config } = withMadeSource(specOf({ ...HTTPS, version: '1.x' }, { interval: '5m' }));
    expect(source).toEqual({ sourceRef: { kind: 'HelmRepository', name: nameOf(HTTPS, '5m') } });
    expect(config.helmRelease?.chart).toEqual({ chart: 'web', version: '1.x', interval: '5m' });
    expect(config.helmRelease?.deploy).toHaveLength(1);
  });

  it('of a registry leaves the version to the source', () => {
    const inline = { repo: 'oci://r.io/a/web', version: '1.x' };
    const { source, config } = withMadeSource(specOf(inline));
    expect(source).toEqual({ sourceRef: { kind: 'OCIRepository', name: nameOf(inline) } });
    expect(config.helmRelease?.chart).toEqual({ chart: 'web' });
  });

  const chart = { chart: 'web' };
  const sourceRef = { kind: 'HelmRepository', name: 'charts' } as const;
  it.each<[string, FluxApplicationSpec]>([
    ['next to sourceRef', specOf(HTTPS, { source: { inline: HTTPS, sourceRef } })],
    ['next to a chart', specOf(HTTPS, { config: { helmRelease: { chart, deploy: [] } } })],
    ['next to a template', specOf(HTTPS, { config: { helmRelease: { template: 't', deploy: [] } } })],
    ['for files', specOf(HTTPS, { config: { kustomization: [] } })],
    ['that is absent', { source: { sourceRef }, config: { helmRelease: { chart, deploy: [] } } }],
  ])('%s is unchanged', (_name, spec) => expect(withMadeSource(spec)).toBe(spec));
});
