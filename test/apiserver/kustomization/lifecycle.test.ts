import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource, namespaceResource } from '#api/core.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import { eventually } from '../../support/world.js';
import { conditionOf, configMap, createHarness, KUBECONFIG_SECRET, type Harness } from './harness.js';

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness('kustomize');
});

afterAll(() => harness.close());

function touch(
  name: string,
  key = 'reconcile.fluxcd.io/requestedAt',
  value = String(performance.now()),
): Promise<void> {
  const { host, namespace, controllers } = harness;
  const ref = { name, namespace };
  const body = { metadata: { annotations: { [key]: value } } };
  return controllers.passes
    .after(ref, () => host.patch(kustomizationResource, ref, { type: 'merge', body }))
    .then(() => undefined);
}

test('a revision is applied, recorded, and what the next one lacks is pruned', async () => {
  const first = await harness.publish('web', {
    'a.yaml': configMap('web-a', { n: '1' }),
    'b/b.yaml': configMap('web-b'),
  });
  await harness.apply('web', { commonMetadata: { labels: { team: 'x' } }, namePrefix: 'my-' });
  const { namespace } = harness;
  const ready = await harness.untilReady('web', first);
  expect(ready.metadata.finalizers).toEqual(['finalizers.fluxcd.io']);
  expect(ready.status).toMatchObject({
    lastAttemptedRevision: first,
    inventory: {
      entries: [
        { id: `${namespace}_my-web-a__ConfigMap`, v: 'v1' },
        { id: `${namespace}_my-web-b__ConfigMap`, v: 'v1' },
      ],
    },
    history: [
      { lastReconciledStatus: 'ReconciliationSucceeded', totalReconciliations: 1, metadata: { revision: first } },
    ],
  });
  expect(conditionOf(ready, 'Ready')).toMatchObject({
    reason: 'ReconciliationSucceeded',
    message: `Applied revision: ${first}`,
  });
  expect((await harness.configMap('my-web-a'))?.metadata).toMatchObject({
    labels: {
      team: 'x',
      'kustomize.toolkit.fluxcd.io/name': 'web',
      'kustomize.toolkit.fluxcd.io/namespace': namespace,
    },
    managedFields: [{ manager: 'kustomize-controller', operation: 'Apply' }],
  });
  const second = await harness.publish('web', { 'a.yaml': configMap('web-a', { n: '2' }) });
  const next = await harness.untilReady('web', second);
  expect(next.status?.inventory?.entries.map(({ id }) => id)).toEqual([`${namespace}_my-web-a__ConfigMap`]);
  expect((await harness.configMap('my-web-a'))?.data).toEqual({ n: '2' });
  expect(await harness.configMap('my-web-b')).toBeUndefined();
  expect(next.status?.history?.map(({ metadata }) => metadata?.['revision'])).toEqual([second, first]);
});

test('nothing is written while nothing changes, and drift is corrected when it is noticed', async () => {
  const { host, namespace } = harness;
  await harness.publish('idle', { 'a.yaml': configMap('idle-a', { n: '1' }), 'b.yaml': configMap('idle-b') });
  await harness.apply('idle', { wait: true });
  await harness.untilReady('idle');
  await touch('idle');
  const writes = await harness.writesDuring('idle', () => touch('idle', 'example.com/note'));
  expect(writes).toEqual([`patch /apis/kustomize.toolkit.fluxcd.io/v1/namespaces/${namespace}/kustomizations/idle`]);
  await host.patch(configMapResource, { name: 'idle-a', namespace }, { type: 'merge', body: { data: { n: 'x' } } });
  await touch('idle');
  expect((await harness.configMap('idle-a'))?.data).toEqual({ n: '1' });
  await host.delete(configMapResource, { name: 'idle-b', namespace });
  // Watched: nobody asks for this pass.
  await eventually(async () => expect(await harness.configMap('idle-b')).toBeDefined());
});

test('hundreds of objects are applied, and the next pass writes none of them', async () => {
  const objects = Array.from({ length: 200 }, (_, index) => configMap(`many-${index}`));
  await harness.publish('many', { 'all.yaml': objects.join('\n---\n') });
  await harness.apply('many');
  const { status } = await harness.untilReady('many');
  expect(status?.inventory?.entries).toHaveLength(200);
  await touch('many');
  const writes = await harness.writesDuring('many', () => touch('many', 'example.com/note'));
  expect(writes).toHaveLength(1);
  await harness.remove('many');
  expect(await harness.configMap('many-199')).toBeUndefined();
});

test('objects that opt out of pruning, or belong to somebody else by now, stay', async () => {
  const { host, namespace } = harness;
  const annotations = { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' };
  await harness.publish('gone', {
    'a.yaml': configMap('gone-a'),
    'b.yaml': configMap('gone-b', {}, { annotations }),
    'c.yaml': configMap('gone-c'),
    'd.yaml': configMap('gone-d'),
  });
  await harness.apply('gone');
  await harness.untilReady('gone');
  await harness.apply('gone', { suspend: true });
  const labels = { 'kustomize.toolkit.fluxcd.io/name': 'another' };
  await host.patch(configMapResource, { name: 'gone-c', namespace }, { type: 'merge', body: { metadata: { labels } } });
  const revision = await harness.publish('gone', { 'a.yaml': configMap('gone-a') });
  await harness.apply('gone');
  const { status } = await harness.untilReady('gone', revision);
  expect(status?.inventory?.entries).toHaveLength(1);
  const stays = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => harness.configMap(`gone-${letter}`)));
  expect(stays.map((object) => object !== undefined)).toEqual([true, true, true, false]);
  await harness.remove('gone');
  expect(await harness.configMap('gone-a')).toBeUndefined();
});

test.each([
  ['MirrorPrune', false, true],
  ['Orphan', true, true],
  ['WaitForTermination', false, false],
] as const)('deletionPolicy %s with prune %s keeps the objects: %s', async (deletionPolicy, prune, stays) => {
  const name = `policy-${deletionPolicy.toLowerCase()}`;
  await harness.publish(name, { 'a.yaml': configMap(name) });
  await harness.apply(name, { deletionPolicy, prune });
  await harness.untilReady(name);
  await harness.remove(name);
  expect((await harness.configMap(name)) !== undefined).toBe(stays);
});

test('a member gets its objects through its kubeconfig, and the host never does instead', async () => {
  await harness.publish('away', { 'a.yaml': configMap('away') });
  await harness.apply('away', { kubeConfig: { secretRef: { name: 'missing' } } });
  expect(await harness.untilNotReady('away', 'KubeConfigSecretNotFound')).toContain('missing');
  expect(await harness.configMap('away')).toBeUndefined();
  await harness.apply('away', { kubeConfig: { secretRef: { name: KUBECONFIG_SECRET } } });
  await harness.untilReady('away');
  expect(await harness.configMap('away', harness.member)).toBeDefined();
  expect(await harness.configMap('away')).toBeUndefined();
  await harness.remove('away');
  expect(await harness.configMap('away', harness.member)).toBeUndefined();
});

test('a CRD with its objects, and a namespace with its contents, come and go in one pass', async () => {
  const { host } = harness;
  const place = `${harness.namespace}-own`;
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'sails.kust.example.com' },
    spec: {
      group: 'kust.example.com',
      scope: 'Namespaced',
      names: { kind: 'Sail', plural: 'sails' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
  const sail = { apiVersion: 'kust.example.com/v1', kind: 'Sail', metadata: { name: 'a', namespace: place } };
  await harness.publish('whole', {
    'z.yaml': JSON.stringify(crd),
    'a.yaml': JSON.stringify(sail),
    'n.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: place } }),
    'c.yaml': configMap('whole', {}, { namespace: place }),
  });
  await harness.apply('whole', { targetNamespace: undefined, deletionPolicy: 'WaitForTermination' });
  const ready = await harness.untilReady('whole');
  expect(ready.status?.inventory?.entries.map(({ id }) => id)).toEqual([
    '_sails.kust.example.com_apiextensions.k8s.io_CustomResourceDefinition',
    `_${place}__Namespace`,
    `${place}_whole__ConfigMap`,
    `${place}_a_kust.example.com_Sail`,
  ]);
  await harness.remove('whole');
  expect((await host.get(namespaceResource, { name: place }))?.metadata.deletionTimestamp).toBeUndefined();
});
