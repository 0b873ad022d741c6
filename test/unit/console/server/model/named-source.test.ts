import { expect, test } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { namedSource } from '#console/server/model/named-source.js';
import { parseYaml } from '#controllers/runtime/pure/yaml.js';

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

test.each(['{}', '{ fluxApp: { spec: { config: { helmRelease: { template: web, deploy: [] } } } } }'])(
  'no source of %s',
  (spec) => {
    expect(namedSource(applicationWith(spec))).toBeUndefined();
  },
);
