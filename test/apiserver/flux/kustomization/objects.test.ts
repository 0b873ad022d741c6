import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource, secretResource, serviceAccountResource } from '#api/core.js';
import type { ResourceType } from '#api/meta.js';
import { conditionOf, configMap, createHarness, type Harness } from './harness.js';

const CLAIMS: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'PersistentVolumeClaim' },
  ...{ plural: 'persistentvolumeclaims', namespaced: true },
};
const GROUP = 'kustomize.toolkit.fluxcd.io';

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness('objects');
}, 180_000);

afterAll(() => harness.close());

function secret(name: string, type: string, stringData: Record<string, string> = {}, annotations = {}): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name, annotations }, type, stringData });
}

async function uidOf(name: string): Promise<string | undefined> {
  const found = await harness.host.get(secretResource, { name, namespace: harness.namespace });
  return found?.metadata.uid;
}

test('an immutable field is an error, and with force a new object', async () => {
  await harness.publish('force', { 'a.yaml': secret('force', 'example.com/one') });
  await harness.apply('force');
  await harness.untilReady('force');
  const uid = await uidOf('force');
  const revision = await harness.publish('force', { 'a.yaml': secret('force', 'example.com/two') });
  expect(await harness.untilNotReady('force', 'ReconciliationFailed')).toContain('Secret/');
  expect(await uidOf('force')).toBe(uid);
  await harness.apply('force', { force: true });
  await harness.untilReady('force', revision);
  expect(await uidOf('force')).not.toBe(uid);
});

test('force deletes nothing that could not be created again', async () => {
  await harness.publish('wrong', { 'a.yaml': secret('wrong', 'example.com/one') });
  await harness.apply('wrong', { force: true });
  await harness.untilReady('wrong');
  const uid = await uidOf('wrong');
  // Of this type it lacks its keys.
  await harness.publish('wrong', { 'a.yaml': secret('wrong', 'kubernetes.io/tls') });
  expect(await harness.untilNotReady('wrong', 'ReconciliationFailed')).toContain('data[tls.crt]');
  expect(await uidOf('wrong')).toBe(uid);
});

test('force deletes nothing that holds data', async () => {
  const claim = (storage: string): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'kept' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    });
  await harness.publish('kept', { 'a.yaml': claim('2Gi') });
  await harness.apply('kept', { force: true });
  await harness.untilReady('kept');
  await harness.publish('kept', { 'a.yaml': claim('1Gi') });
  const message = await harness.untilNotReady('kept', 'ReconciliationFailed');
  expect(message).toContain('force does not recreate it, because the data in it would be lost');
});

test('objects say how they are applied', async () => {
  const { host, namespace } = harness;
  const ssa = (value: string): Record<string, unknown> => ({ annotations: { [`${GROUP}/ssa`]: value } });
  const files = (n: string): Record<string, string> => ({
    'a.yaml': configMap('ssa-once', { n }, ssa('IfNotPresent')),
    'b.yaml': configMap('ssa-never', { n }, ssa('Ignore')),
    'c.yaml': configMap('ssa-normal', { n }),
    'd.yaml': secret('ssa-secret', 'Opaque', { n }),
  });
  const byHand = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'ssa-normal', namespace },
    data: { old: 'x' },
  };
  await host.apply(configMapResource, byHand, { fieldManager: 'kubectl', force: true });
  await harness.publish('ssa', files('1'));
  await harness.apply('ssa');
  await harness.untilReady('ssa');
  await harness.untilReady('ssa', await harness.publish('ssa', files('2')));
  expect((await harness.configMap('ssa-once'))?.data).toEqual({ n: '1' });
  expect(await harness.configMap('ssa-never')).toBeUndefined();
  // What kubectl wrote, and the source does not have, is gone.
  expect((await harness.configMap('ssa-normal'))?.data).toEqual({ n: '2' });
  const live = await host.get(secretResource, { name: 'ssa-secret', namespace });
  expect(live).toMatchObject({ data: { n: Buffer.from('2').toString('base64') } });
  expect((await harness.read('ssa')).status?.inventory?.entries).toHaveLength(4);
});

test('one object that is refused keeps the others of its revision from being written', async () => {
  const good = { 'a.yaml': configMap('half-a', { n: '1' }) };
  await harness.publish('half', good);
  await harness.apply('half');
  await harness.untilReady('half');
  const bad = secret('half-b', 'kubernetes.io/tls');
  await harness.publish('half', { 'a.yaml': configMap('half-a', { n: '2' }), 'b.yaml': bad });
  expect(await harness.untilNotReady('half', 'ReconciliationFailed')).toContain('half-b');
  expect((await harness.configMap('half-a'))?.data).toEqual({ n: '1' });
  await harness.untilReady('half', await harness.publish('half', good));
});

test('a dependency on the same source must have applied the same revision', async () => {
  const files = { 'one/a.yaml': configMap('dep-one'), 'two/a.yaml': configMap('dep-two') };
  const sourceRef = { kind: 'GitRepository' as const, name: 'dep' };
  await harness.publish('dep', files);
  await harness.apply('dep-two', { sourceRef, path: 'two', dependsOn: [{ name: 'dep-one' }] });
  expect(await harness.untilNotReady('dep-two', 'DependencyNotReady')).toContain('not found');
  await harness.apply('dep-one', { sourceRef, path: 'one' });
  await harness.untilReady('dep-two');
  await harness.apply('dep-one', { sourceRef, path: 'one', suspend: true });
  const revision = await harness.publish('dep', { ...files, 'x.md': '' });
  expect(await harness.untilNotReady('dep-two', 'DependencyNotReady')).toContain('dep-one');
  await harness.apply('dep-one', { sourceRef, path: 'one' });
  await harness.untilReady('dep-two', revision);
});

test('objects that do not become healthy are told, and expressions decide for kinds of the user', async () => {
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'sick' } };
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await harness.publish('sick', { 'a.yaml': JSON.stringify({ ...claim, spec }) });
  const check = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', current: 'false', failed: 'has(metadata.name)' };
  await harness.apply('sick', { wait: true, healthCheckExprs: [check] });
  const message = await harness.untilNotReady('sick', 'HealthCheckFailed');
  expect(message).toContain('health check failed: failed early due to stalled resources: [PersistentVolumeClaim/');
  expect(conditionOf(await harness.read('sick'), 'Healthy')?.status).toBe('False');
});

test('what is left in place is not waited for', async () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const metadata = { name: 'left', namespace: harness.namespace };
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec };
  const byHand = { ...claim, metadata: { ...metadata, annotations: { [`${GROUP}/reconcile`]: 'disabled' } } };
  await harness.host.create(CLAIMS, byHand);
  await harness.publish('left', { 'a.yaml': JSON.stringify(claim) });
  const check = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', current: 'false', failed: 'has(metadata.name)' };
  await harness.apply('left', { wait: true, healthCheckExprs: [check] });
  await harness.untilReady('left');
});

test('everything is done in the name of the ServiceAccount, which may not do more than its roles', async () => {
  const { host, namespace } = harness;
  await host.create(serviceAccountResource, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'weak', namespace },
  });
  await harness.publish('weak', { 'a.yaml': configMap('weak') });
  await harness.apply('weak', { serviceAccountName: 'weak' });
  expect(await harness.untilNotReady('weak', 'ReconciliationFailed')).toContain('system:serviceaccount:');
  expect(await harness.configMap('weak')).toBeUndefined();
});
