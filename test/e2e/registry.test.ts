import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { setUp, untilReady, type Setup } from '#bench/scenarios/setup.js';
import type { Kube } from '#runtime/client/kube.js';
import { PROJECT_NAMESPACE } from '#sandbox/project.js';
import { Pusher, tarLayer } from '../support/oci.js';
import { eventually, kubeFor, useWorld } from '../support/world.js';

let setup: Setup;
let host: Kube;

beforeAll(async () => {
  setup = await setUp(await useWorld());
  host = await kubeFor(setup.world.host);
});

afterAll(async () => {
  await host.close();
  await setup.tearDown();
});

async function apply(type: ResourceType, name: string, spec: object): Promise<void> {
  const { group, version, kind } = type;
  const metadata = { name, namespace: PROJECT_NAMESPACE };
  await host.apply<KubeObject>(type, { apiVersion: `${group}/${version}`, kind, metadata, spec } as KubeObject, {
    fieldManager: 'test',
  });
}

function application(name: string, sourceRef: object, config: object): Promise<void> {
  const spec = { source: { sourceRef }, config };
  return apply(applicationResource, name, { kind: 'fluxcd', fluxApp: { spec } });
}

function manifest(value: string): Record<string, string> {
  return {
    'map.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'pulled' }, data: { value } }),
  };
}

test('manifests of an OCIRepository are applied, and so is what is pushed later', async () => {
  const { world } = setup;
  const pusher = new Pusher(`http://${world.registry}`, 'manifests');
  await pusher.image('main', [await tarLayer(manifest('first'))]);
  const url = `oci://${world.registry}/manifests`;
  await apply(ociRepositoryResource, 'manifests', { interval: '1h', url, insecure: true, ref: { tag: 'main' } });
  await application(
    'pulled',
    { kind: 'OCIRepository', name: 'manifests' },
    {
      kustomization: [{ destination: { targetNamespace: 'default' }, interval: '1h', path: './', prune: true }],
    },
  );
  await untilReady(setup, 'pulled');
  const value = async (): Promise<unknown> =>
    (await host.get<KubeObject & { data?: object }>(configMapResource, { name: 'pulled', namespace: 'default' }))?.data;
  expect(await value()).toEqual({ value: 'first' });
  await pusher.image('main', [await tarLayer(manifest('second'))]);
  const annotations = { 'reconcile.fluxcd.io/requestedAt': 'now' };
  const ref = { name: 'manifests', namespace: PROJECT_NAMESPACE };
  await host.patch(ociRepositoryResource, ref, { type: 'merge', body: { metadata: { annotations } } });
  await eventually(async () => expect(await value()).toEqual({ value: 'second' }));
});

test('a chart of a registry is installed', async () => {
  const url = `oci://${setup.world.registry}/charts`;
  await apply(helmRepositoryResource, 'registry', { url, type: 'oci', insecure: true });
  await application(
    'from-registry',
    { kind: 'HelmRepository', name: 'registry' },
    {
      helmRelease: {
        chart: { chart: 'lighthouse', version: '1.x' },
        deploy: [{ destination: { targetNamespace: 'from-registry' }, install: { createNamespace: true } }],
      },
    },
  );
  const { status } = await untilReady(setup, 'from-registry');
  expect(status?.destinations).toMatchObject([{ state: 'Ready', namespace: 'from-registry' }]);
});
