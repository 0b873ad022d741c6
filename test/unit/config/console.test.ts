import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { CONSOLE_OPTIONS, parseConsoleOptions } from '#console/server/options.js';
import { consoleManifests, kubesphereManifests } from '#config/console.js';
import { PACKAGE_ROOT } from '#controllers/runtime/package-root.js';

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
