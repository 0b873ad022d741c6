import { expect, test } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { namedSource } from '#console/server/v1/applications.js';
import { parseYaml } from '#lib/yaml/yaml.js';

function applicationWith(spec: string): Application {
  const metadata = { name: 'web', namespace: 'shop' };
  return { apiVersion: 'x', kind: 'Application', metadata, spec: parseYaml(spec) } as Application;
}

test.each([
  ['sourceRef: { kind: Bucket, name: charts }', 'Bucket', 'shop', /^charts$/],
  ['sourceRef: { kind: GitRepository, name: charts, namespace: fleet }', 'GitRepository', 'fleet', /^charts$/],
  [
    'inline: { repo: "https://charts.example.com", chart: web }',
    'HelmRepository',
    'shop',
    /^inline-charts-example-com-/,
  ],
  ['inline: { repo: "oci://charts.example.com/web" }', 'OCIRepository', 'shop', /^inline-charts-example-com-/],
])('the source of %s', (source, kind, namespace, name) => {
  const config = 'helmRelease: { deploy: [] }';
  const application = applicationWith(`{ fluxApp: { spec: { source: { ${source} }, config: { ${config} } } } }`);
  expect(namedSource(application)).toEqual({ kind, namespace, name: expect.stringMatching(name) });
});

test('a source beside a template is ignored, unless an entry of manifests has none', () => {
  const source = 'source: { sourceRef: { kind: Bucket, name: charts } }';
  const withConfig = (config: string) => applicationWith(`{ fluxApp: { spec: { ${source}, config: { ${config} } } } }`);
  expect(namedSource(withConfig('helmRelease: { template: web, deploy: [] }'))).toBeUndefined();
  expect(namedSource(withConfig('kustomization: [{ template: web }]'))).toBeUndefined();
  expect(namedSource(withConfig('kustomization: [{ template: web }, { path: ./ }]'))).toMatchObject({ name: 'charts' });
});

test.each(['{}', '{ fluxApp: { spec: { config: { helmRelease: { template: web, deploy: [] } } } } }'])(
  'no source of %s',
  (spec) => {
    expect(namedSource(applicationWith(spec))).toBeUndefined();
  },
);
