import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { CONSOLE_OPTIONS, parseConsoleOptions } from '#console/server/options.js';
import { consoleManifests, kubesphereManifests } from '#config/console.js';
import { compileSchema } from '#lib/json/json-schema.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';

const ACCOUNT = { name: 'fairlead-console', namespace: 'fairlead-system' };

interface Deployment {
  spec: { template: { spec: { containers: { image: string; command: string[]; args: string[] }[] } } };
}

function containerOf(deployment: unknown) {
  return (deployment as Deployment).spec.template.spec.containers[0]!;
}

const container = containerOf(consoleManifests(ACCOUNT).get('deployment.yaml')?.[0]);

test('the image is that of the controller', () => {
  const file = path.join(PACKAGE_ROOT, 'config', 'manager', 'deployment.yaml');
  expect(container.image).toBe(containerOf(load(readFileSync(file, 'utf8'))).image);
});

test('its flags are those of `fairlead console`, and nobody is trusted', () => {
  expect(container.command.at(-1)).toBe('console');
  const raw = Object.fromEntries(
    container.args.map((arg) => {
      const [, flag = '', value = ''] = /^--([a-z-]+)=(.*)$/.exec(arg) ?? [];
      return [CONSOLE_OPTIONS.find((row) => row.flag === flag)!.key, value];
    }),
  );
  const { addr, healthAddr, proxyAddresses } = parseConsoleOptions(raw);
  expect([addr, healthAddr]).toMatchObject([
    { host: '0.0.0.0', port: 8090 },
    { host: '0.0.0.0', port: 8091 },
  ]);
  expect(proxyAddresses).toEqual([]);
});

/**
 * What an APIService may have, as far as we set it. Source: kubesphere/kubesphere,
 * config/ks-core/charts/ks-crds/crds/extensions.kubesphere.io_apiservices.yaml
 */
const API_SERVICE = {
  spec: {
    additionalProperties: false,
    properties: {
      caBundle: { type: 'string' },
      group: { type: 'string' },
      insecureSkipVerify: { type: 'boolean' },
      url: { type: 'string' },
      version: { type: 'string' },
    },
    required: ['group', 'version', 'url'],
  },
  // It has no subresource: what is applied with the object counts. ks-apiserver proxies to `Available` alone.
  status: {
    additionalProperties: false,
    properties: { state: { const: 'Available' } },
    required: ['state'],
  },
};

test('an APIService of KubeSphere has the fields that we set, and proxies to an origin only', () => {
  const [registered] = kubesphereManifests(ACCOUNT).get('api-service.yaml') ?? [];
  const check = compileSchema({
    ...{ additionalProperties: false, required: ['spec', 'status'] },
    properties: { apiVersion: { const: 'extensions.kubesphere.io/v1alpha1' }, kind: {}, metadata: {}, ...API_SERVICE },
  });
  expect(check(registered)).toEqual([]);
  // It is of the cluster.
  expect(registered?.metadata).not.toHaveProperty('namespace');
  // The path of the url is dropped: that of the request takes its place.
  const { url = '' } = (registered as unknown as { spec: { url?: string } }).spec;
  expect(new URL(url).pathname).toBe('/');
});

test('KubeSphere finds the Service', () => {
  const [service] = consoleManifests(ACCOUNT).get('service.yaml') ?? [];
  const [registered] = kubesphereManifests(ACCOUNT).get('api-service.yaml') ?? [];
  expect(service).toMatchObject({ metadata: ACCOUNT, spec: { ports: [{ port: 8090 }] } });
  expect(service).toMatchObject({ spec: { sessionAffinity: 'ClientIP' } });
  expect(registered).toMatchObject({
    metadata: { name: 'v1alpha1.gitops.kubesphere.io' },
    spec: {
      group: 'gitops.kubesphere.io',
      version: 'v1alpha1',
      url: 'http://fairlead-console.fairlead-system.svc:8090',
    },
  });
});
