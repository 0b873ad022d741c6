import { expect, test } from '@jest/globals';
import { configMapResource, namespaceResource } from '#api/core.js';
import { type Kustomization, kustomizationResource } from '#api/flux/kustomization.js';
import { type KubeObject, resourceType } from '#api/meta.js';
import { NAME_LABEL, NAMESPACE_LABEL } from '#controllers/kustomization/model/objects.js';
import { fixture } from '../../support/fixture.js';
import { eventually } from '../../support/world.js';
import { configMap, createHarness, KUBECONFIG_SECRET } from './harness.js';

const harness = fixture(
  () => createHarness('ks-shared'),
  (made) => made.close(),
);

const persistentVolumeClaimResource = resourceType('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims');
const SOON = { retryInterval: '1s' };
/** Only a change of others makes it go on. */
const LATE = { interval: '1h', retryInterval: '1h' };

function claim(name: string): string {
  const resources = { requests: { storage: '1Mi' } };
  const spec = { accessModes: ['ReadWriteOnce'], resources };
  return JSON.stringify({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec });
}

function ref(name: string): { name: string; namespace: string } {
  return { name, namespace: harness.namespace };
}

const idOf = (name: string, kind = 'ConfigMap'): string => `${harness.namespace}_${name}__${kind}`;

async function claimUid(name: string): Promise<string | undefined> {
  return (await harness.host.get(persistentVolumeClaimResource, ref(name)))?.metadata.uid;
}

async function patchStatus(name: string, status: object): Promise<void> {
  const body = { status };
  const options = { subresource: 'status' } as const;
  await harness.controllers.untilSeen(
    await harness.host.patch<KubeObject>(kustomizationResource, ref(name), { type: 'merge', body }, options),
  );
}

/** A Kustomization of its own source with these ConfigMaps and claims; Ready. */
async function ready(name: string, files: Readonly<Record<string, string>>, spec = {}): Promise<Kustomization> {
  const revision = await harness.publish(name, files);
  await harness.apply(name, { ...SOON, ...spec });
  return harness.untilReady(name, revision);
}

test('what another Kustomization has is not taken, and nothing else of that attempt is done', async () => {
  await ready('own-a', { 'a.yaml': configMap('own-map', { from: 'a' }), 'c.yaml': claim('own-claim') });
  await ready('own-b', { 'b.yaml': configMap('own-other') });
  const uid = await claimUid('own-claim');
  await harness.publish('own-b', {
    ...{ 'a.yaml': configMap('own-map', { from: 'b' }), 'c.yaml': claim('own-claim') },
    'd.yaml': configMap('own-new'),
  });
  const message = await harness.untilNotReady('own-b', 'TargetTaken');
  expect(message).toContain(`ConfigMap/${harness.namespace}/own-map`);
  expect(message).toContain(`PersistentVolumeClaim/${harness.namespace}/own-claim`);
  expect(message).toContain('Kustomization own-a');
  const refused = await harness.read('own-b');
  expect(refused.status?.inventory?.entries.map(({ id }) => id)).toEqual([idOf('own-other')]);
  expect(refused.status?.claims?.map(({ id }) => id).sort()).toEqual(
    [idOf('own-claim', 'PersistentVolumeClaim'), idOf('own-map'), idOf('own-new')].sort(),
  );
  expect((await harness.configMap('own-map'))?.data).toEqual({ from: 'a' });
  expect(await harness.configMap('own-new')).toBeUndefined();
  // Nothing was pruned, although the revision lacks it.
  expect(await harness.configMap('own-other')).toBeDefined();
  await harness.remove('own-b');
  expect([await claimUid('own-claim'), (await harness.configMap('own-map'))?.data]).toEqual([uid, { from: 'a' }]);
});

test('an object that moves to another source is handed over, also when its first Kustomization is deleted', async () => {
  await ready('move-a', { 'a.yaml': claim('moved'), 'b.yaml': configMap('move-stays') });
  const uid = await claimUid('moved');
  await harness.publish('move-b', { 'a.yaml': claim('moved') });
  await harness.apply('move-b', LATE);
  await harness.untilNotReady('move-b', 'TargetTaken');
  await harness.untilReady('move-a', await harness.publish('move-a', { 'b.yaml': configMap('move-stays') }));
  await harness.untilReady('move-b');
  expect(await claimUid('moved')).toBe(uid);
  const listed = async () => (await harness.read('move-a')).status?.inventory?.entries.map(({ id }) => id);
  await eventually(async () => expect(await listed()).toEqual([idOf('move-stays')]));
  await harness.publish('move-c', { 'a.yaml': claim('moved') });
  await harness.apply('move-c', LATE);
  await harness.untilNotReady('move-c', 'TargetTaken');
  await harness.remove('move-b');
  const taken = await harness.untilReady('move-c');
  expect(taken.status?.claims).toBeUndefined();
  expect(await claimUid('moved')).toBe(uid);
  await harness.remove('move-c');
  await eventually(async () => {
    const live = await harness.host.get(persistentVolumeClaimResource, ref('moved'));
    expect(live === undefined || live.metadata.deletionTimestamp !== undefined).toBe(true);
  });
});

test('two that swap objects both get them, and nothing is deleted', async () => {
  await ready('swap-a', { 'a.yaml': claim('swap-1') });
  await ready('swap-b', { 'a.yaml': claim('swap-2') });
  const before = [await claimUid('swap-1'), await claimUid('swap-2')];
  await harness.publish('swap-a', { 'a.yaml': claim('swap-2') });
  await harness.untilNotReady('swap-a', 'TargetTaken');
  const revision = await harness.publish('swap-b', { 'a.yaml': claim('swap-1') });
  await harness.untilReady('swap-b', revision);
  await harness.untilReady('swap-a');
  expect([await claimUid('swap-1'), await claimUid('swap-2')]).toEqual(before);
});

test('a Namespace may be in two sources, and stays until the last one lacks it', async () => {
  const name = `${harness.namespace}-two`;
  const namespace = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const files = (from: string) => ({
    'n.yaml': namespace,
    'm.yaml': configMap(`${from}-map`, {}, { namespace: harness.namespace }),
  });
  const spec = { targetNamespace: undefined };
  await ready('space-a', files('space-a'), spec);
  await ready('space-b', files('space-b'), spec);
  const uid = async () => {
    const live = await harness.host.get(namespaceResource, { name });
    return live?.metadata.deletionTimestamp === undefined ? live?.metadata.uid : 'going';
  };
  const before = await uid();
  await harness.remove('space-b');
  expect(await uid()).toBe(before);
  await harness.remove('space-a');
  await eventually(async () => expect([undefined, 'going']).toContain(await uid()));
});

test('two that have kept one object so far go on, and neither prunes what the other one lists', async () => {
  await ready('both-a', {
    'a.yaml': configMap(
      'both-map',
      { from: 'a' },
      { annotations: { [`kustomize.toolkit.fluxcd.io/prune`]: 'disabled' } },
    ),
  });
  await ready('both-b', { 'b.yaml': configMap('both-other') });
  const entries = [idOf('both-other'), idOf('both-map')].map((id) => ({ id, v: 'v1' }));
  await patchStatus('both-b', { inventory: { entries } });
  const files = { 'a.yaml': configMap('both-map', { from: 'b' }), 'b.yaml': configMap('both-other') };
  await harness.untilReady('both-b', await harness.publish('both-b', files));
  expect((await harness.configMap('both-map'))?.data).toEqual({ from: 'b' });
  // B wrote it last, without the annotation that keeps it.
  const alone = { 'b.yaml': configMap('both-other') };
  await harness.untilReady('both-b', await harness.publish('both-b', alone));
  // It is that of the other one now, which applies what it has.
  await eventually(async () => expect((await harness.configMap('both-map'))?.data).toEqual({ from: 'a' }));
});

test('a suspended owner has its objects, and leaves them when it is deleted', async () => {
  await ready('still-a', { 'a.yaml': claim('still') });
  const uid = await claimUid('still');
  await harness.apply('still-a', { ...SOON, suspend: true });
  await harness.publish('still-b', { 'a.yaml': claim('still') });
  await harness.apply('still-b', LATE);
  await harness.untilNotReady('still-b', 'TargetTaken');
  await harness.remove('still-a');
  await harness.untilReady('still-b');
  expect(await claimUid('still')).toBe(uid);
});

test('nobody waits for one that depends on it', async () => {
  await ready('base', { 'a.yaml': configMap('base-map') });
  await ready('top', { 'a.yaml': configMap('top-map', { from: 'top' }) }, { dependsOn: [{ name: 'base' }] });
  const files = { 'a.yaml': configMap('base-map'), 'b.yaml': configMap('top-map', { from: 'base' }) };
  await harness.untilReady('base', await harness.publish('base', files));
});

test('what both drop is pruned', async () => {
  await ready('drop-a', { 'a.yaml': configMap('drop-map', { from: 'a' }), 'b.yaml': configMap('drop-a') });
  await ready('drop-b', { 'b.yaml': configMap('drop-b') });
  const entries = [idOf('drop-b'), idOf('drop-map')].map((id) => ({ id, v: 'v1' }));
  await patchStatus('drop-b', { inventory: { entries } });
  const both = { 'a.yaml': configMap('drop-map', { from: 'b' }), 'b.yaml': configMap('drop-b') };
  await harness.untilReady('drop-b', await harness.publish('drop-b', both));
  const revisions = [
    await harness.publish('drop-a', { 'b.yaml': configMap('drop-a') }),
    await harness.publish('drop-b', { 'b.yaml': configMap('drop-b') }),
  ];
  await harness.untilReady('drop-a', revisions[0]);
  await harness.untilReady('drop-b', revisions[1]);
  await eventually(async () => expect(await harness.configMap('drop-map')).toBeUndefined());
  for (const name of ['drop-a', 'drop-b']) {
    await harness.until(name, ({ status }) =>
      expect(status?.inventory?.entries.map(({ id }) => id)).toEqual([idOf(name)]),
    );
  }
});

test('an owner in another namespace has nothing, and its name is not told', async () => {
  const other = `${harness.namespace}-x`;
  await harness.host.apply(
    namespaceResource,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } },
    { fieldManager: 'test' },
  );
  const owner = {
    ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
    metadata: { name: 'hidden', namespace: other },
    spec: { interval: '1h', prune: true, suspend: true, sourceRef: { kind: 'GitRepository', name: 'none' } },
  };
  await harness.host.apply<KubeObject>(kustomizationResource, owner, { fieldManager: 'test' });
  const body = { status: { inventory: { entries: [{ id: idOf('far-map'), v: 'v1' }] } } };
  const hidden = { name: 'hidden', namespace: other };
  await harness.host.patch(kustomizationResource, hidden, { type: 'merge', body }, { subresource: 'status' });
  const labels = { [NAME_LABEL]: 'hidden', [NAMESPACE_LABEL]: other };
  const live = JSON.parse(configMap('far-map', { from: 'x' }, { ...ref('far-map'), labels })) as KubeObject;
  await harness.host.apply(configMapResource, live, { fieldManager: 'x' });
  const far = await ready('far-b', { 'a.yaml': configMap('far-map', { from: 'b' }) });
  expect(JSON.stringify(far.status)).not.toContain('hidden');
  expect((await harness.configMap('far-map'))?.data).toEqual({ from: 'b' });
});

test('one object on two clusters is two', async () => {
  const kubeConfig = { secretRef: { name: KUBECONFIG_SECRET } };
  const files = (from: string) => ({ 'a.yaml': configMap('far-away', { from }) });
  await ready('here', files('here'));
  await ready('there', files('there'), { kubeConfig });
  await harness.remove('here');
  expect(await harness.configMap('far-away')).toBeUndefined();
  expect((await harness.configMap('far-away', harness.member))?.data).toEqual({ from: 'there' });
});

test('a dry run says what would be refused', async () => {
  await ready('dry-a', { 'a.yaml': configMap('dry-map', { from: 'a' }) });
  await harness.publish('dry-b', { 'a.yaml': configMap('dry-map', { from: 'b' }) });
  await harness.apply('dry-b', SOON, { 'gitops.kubesphere.io/dry-run': 'true' });
  const { status } = await harness.until('dry-b', (each) => expect(each.status?.dryRun).toBeDefined());
  expect(status?.dryRun?.objects).toEqual([
    expect.objectContaining({ action: 'failed', message: expect.stringContaining('Kustomization dry-a') }),
  ]);
});
