import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource, deploymentResource, secretResource, serviceAccountResource } from '#api/core.js';
import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import type { ManagedFieldsEntry, ResourceType } from '#api/meta.js';
import { DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';
import { ownsField } from '#lib/kube/managed-fields.js';
import { conditionOf, configMap, createHarness, type Harness } from './harness.js';

const CLAIMS: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'PersistentVolumeClaim' },
  ...{ plural: 'persistentvolumeclaims', namespaced: true },
};
const GROUP = 'kustomize.toolkit.fluxcd.io';

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness('objects');
});

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

test('ignored fields stay as others set them', async () => {
  const { host, namespace } = harness;
  const ignore = [{ paths: ['/data/size', '/type'], target: { name: 'ignore-.*' } }];
  const spec = { force: true, ignore };
  const files = (n: string): Record<string, string> => ({
    'a.yaml': configMap('ignore-edited', { size: n, n }),
    'b.yaml': configMap('ignore-applied', { size: n, n }),
    'c.yaml': secret('ignore-typed', `example.com/${n}`),
  });
  await harness.publish('ignore', files('1'));
  await harness.apply('ignore', spec);
  await harness.untilReady('ignore');
  expect((await harness.configMap('ignore-edited'))?.data).toEqual({ size: '1', n: '1' });

  const by = { fieldManager: 'autoscaler' };
  const body = { data: { size: '5' } };
  await host.patch(configMapResource, { name: 'ignore-edited', namespace }, { type: 'merge', body }, by);
  const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ignore-applied', namespace }, ...body };
  await host.apply(configMapResource, theirs, { ...by, force: true });
  const writes = await harness.writesDuring('ignore', async () => {
    await harness.apply('ignore', spec, { [REQUESTED_AT_ANNOTATION]: 'now' });
    await harness.until('ignore', ({ status }) => expect(status?.lastHandledReconcileAt).toBe('now'));
  });
  expect(writes.filter((write) => !write.includes('/kustomizations/'))).toEqual([]);

  const uid = await uidOf('ignore-typed');
  await harness.untilReady('ignore', await harness.publish('ignore', files('2')));
  const [edited, applied] = await Promise.all(
    ['ignore-edited', 'ignore-applied'].map((name) => harness.configMap(name)),
  );
  expect([edited?.data, applied?.data]).toEqual([
    { size: '5', n: '2' },
    { size: '5', n: '2' },
  ]);
  // What another applies is left to it.
  const isOurs = (entry: ManagedFieldsEntry): boolean =>
    entry.manager === 'kustomize-controller' && ownsField(entry, ['f:data', 'f:size']);
  expect([edited, applied].map((each) => each?.metadata.managedFields?.some(isOurs))).toEqual([true, false]);
  expect(await uidOf('ignore-typed')).toBe(uid);

  await harness.apply('ignore', spec, { [DRY_RUN_ANNOTATION]: 'true' });
  await harness.until('ignore', ({ status }) => expect(status?.dryRun).toBeDefined());
  await harness.publish('ignore', files('3'));
  const fields = [{ path: '/data/n', old: '"2"', new: '"3"' }];
  await harness.until('ignore', ({ status }) =>
    expect(status?.dryRun?.objects).toMatchObject([
      { name: 'ignore-applied', fields },
      { name: 'ignore-edited', fields },
    ]),
  );
});

test('force deletes nothing because of what is ignored', async () => {
  const web = (volume: string): string => {
    const container = { name: 'web', image: 'example.com/web:1', volumeMounts: [{ name: volume, mountPath: '/data' }] };
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [container], volumes: [{ name: volume, emptyDir: {} }] },
    };
    const spec = { replicas: 0, selector: { matchLabels: { app: 'web' } }, template };
    return JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'ignore-volumes' }, spec });
  };
  const { host, namespace } = harness;
  const find = () => host.get(deploymentResource, { name: 'ignore-volumes', namespace });
  await harness.publish('ignore-volumes', { 'a.yaml': web('one') });
  await harness.apply('ignore-volumes', { force: true, ignore: [{ paths: ['/spec/template/spec/volumes'] }] });
  await harness.untilReady('ignore-volumes');
  const before = await find();
  await harness.publish('ignore-volumes', { 'a.yaml': web('two') });
  expect(await harness.untilNotReady('ignore-volumes', 'ReconciliationFailed')).toContain('spec.ignore');
  expect((await find())?.metadata.uid).toBe(before?.metadata.uid);
});

test('a rule that cannot be read is refused, and nothing is applied', async () => {
  await harness.publish('misspelled', { 'a.yaml': configMap('misspelled') });
  await harness.apply('misspelled', { ignore: [{ paths: ['/data'], target: { name: '(' } }] });
  expect(await harness.untilNotReady('misspelled', 'ReconciliationFailed')).toContain('spec.ignore[0].target: ');
  expect(await harness.configMap('misspelled')).toBeUndefined();
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
