import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource, secretResource } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import { eventually } from '../../support/world.js';
import { configMap, createHarness, type Files, type Harness } from './harness.js';

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness('substituted');
});

afterAll(() => harness.close());

async function give(kind: 'ConfigMap' | 'Secret', name: string, data: Files, labels: Files = {}): Promise<void> {
  const texts = kind === 'Secret' ? { stringData: data } : { data };
  const object: Unstructured = {
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: harness.namespace, labels: { ...labels } },
    ...texts,
  };
  const type = kind === 'Secret' ? secretResource : configMapResource;
  await harness.host.apply(type, object, { fieldManager: 'test', force: true });
}

async function untilData(name: string, data: Files): Promise<void> {
  await eventually(async () => expect((await harness.configMap(name))?.data).toEqual(data));
}

test('variables of the spec, of ConfigMaps and of Secrets are substituted, the later ones first', async () => {
  await give('ConfigMap', 'places', { region: 'eu', zone: 'a' });
  await give('Secret', 'keys', { zone: 'b', token: 't0ken\n' });
  const data = {
    region: '${region}',
    zone: '${zone}',
    token: '${token^^}',
    size: '${size:-"small"}',
    kept: '$${region}',
  };
  const optedOut = configMap(
    'kept',
    { region: '${region}' },
    { annotations: { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' } },
  );
  await harness.publish('all', { 'a.yaml': configMap('all', data), 'b.yaml': optedOut });
  await harness.apply('all', {
    postBuild: {
      substitute: { region: 'us' },
      substituteFrom: [
        { kind: 'ConfigMap', name: 'places' },
        { kind: 'Secret', name: 'keys' },
        { kind: 'Secret', name: 'nowhere', optional: true },
      ],
    },
  });
  await harness.untilReady('all');
  await untilData('all', { region: 'us', zone: 'b', token: 'T0KEN', size: 'small', kept: '${region}' });
  await untilData('kept', { region: '${region}' });
});

test('a change of a Secret, and of a ConfigMap that is labelled for it, is applied at once', async () => {
  await give('Secret', 'live', { a: '1x' });
  await give('ConfigMap', 'labelled', { b: '1x' }, { 'reconcile.fluxcd.io/watch': 'Enabled' });
  await harness.publish('watched', { 'a.yaml': configMap('watched', { a: '${a}', b: '${b}' }) });
  const substituteFrom = [
    { kind: 'Secret' as const, name: 'live' },
    { kind: 'ConfigMap' as const, name: 'labelled' },
  ];
  await harness.apply('watched', { postBuild: { substituteFrom } });
  await untilData('watched', { a: '1x', b: '1x' });
  await give('Secret', 'live', { a: '2x' });
  await untilData('watched', { a: '2x', b: '1x' });
  await give('ConfigMap', 'labelled', { b: '2x' }, { 'reconcile.fluxcd.io/watch': 'Enabled' });
  await untilData('watched', { a: '2x', b: '2x' });
});

test('what is missing is named, applied once it is there, and the inventory stays', async () => {
  await harness.publish('missing', { 'a.yaml': configMap('missing', { a: '${a:=old}' }) });
  await harness.apply('missing', { postBuild: { substituteStrategy: 'Always' } });
  await harness.untilReady('missing');
  await harness.apply('missing', { postBuild: { substituteFrom: [{ kind: 'ConfigMap', name: 'later' }] } });
  expect(await harness.untilNotReady('missing', 'BuildFailed')).toBe(
    `spec.postBuild.substituteFrom[0]: ConfigMap/${harness.namespace}/later not found: create it, or set optional: true`,
  );
  expect((await harness.read('missing')).status?.inventory?.entries).toHaveLength(1);
  await give('ConfigMap', 'later', { a: 'new' });
  await untilData('missing', { a: 'new' });
});

test('a variable without a value is refused with its object, and the objects stay', async () => {
  await harness.publish('unset', { 'a.yaml': configMap('unset', { a: 'plain' }) });
  await harness.apply('unset', { postBuild: { substitute: { a: 'b' } } });
  await harness.untilReady('unset');
  await harness.publish('unset', { 'a.yaml': configMap('other', { a: '${none}' }) });
  const message = await harness.untilNotReady('unset', 'BuildFailed');
  expect(message).toContain(`post build failed: ConfigMap/${harness.namespace}/other: variable none is not set`);
  await untilData('unset', { a: 'plain' });
});

test('references are bounded, and so is what they read', async () => {
  const names = ['big0', 'big1', 'big2', 'big3', 'big4'];
  for (const name of names) await give('ConfigMap', name, { [name]: 'x'.repeat(900_000) });
  const references = (from: readonly string[]) => from.map((name) => ({ kind: 'ConfigMap' as const, name }));
  await harness.publish('bounded', { 'a.yaml': configMap('bounded', { a: '${big0:0:3}' }) });
  await harness.apply('bounded', { postBuild: { substituteFrom: references(Array(101).fill('big0')) } });
  expect(await harness.untilNotReady('bounded', 'BuildFailed')).toContain(
    'spec.postBuild.substituteFrom has 101 references, and at most 100 are supported',
  );
  await harness.apply('bounded', { postBuild: { substituteFrom: references(names) } });
  expect(await harness.untilNotReady('bounded', 'BuildFailed')).toContain(
    `spec.postBuild.substituteFrom[4]: ConfigMap/${harness.namespace}/big4 makes it more than 4194304 bytes`,
  );
  // The same object again adds nothing.
  await harness.apply('bounded', { postBuild: { substituteFrom: references(Array(100).fill('big0')) } });
  await harness.untilReady('bounded');
  await untilData('bounded', { a: 'xxx' });
});

test('a value from a Secret that the server refuses is not shown', async () => {
  // Longer than what a dry run cuts off.
  const token = `token-${'x'.repeat(600)}`;
  await give('Secret', 'long', { token });
  await harness.publish('masked', { 'a.yaml': configMap('masked', {}, { labels: { token: '${token}' } }) });
  await harness.apply('masked', { postBuild: { substituteFrom: [{ kind: 'Secret', name: 'long' }] } });
  const message = await harness.untilNotReady('masked', 'ReconciliationFailed');
  expect(message).toContain('*****');
  expect(message).not.toContain('token-x');
  await harness.apply(
    'masked',
    { postBuild: { substituteFrom: [{ kind: 'Secret', name: 'long' }] } },
    { 'gitops.kubesphere.io/dry-run': 'true' },
  );
  const { status } = await harness.until('masked', (object) => expect(object.status?.dryRun).toBeDefined());
  const refused = expect.stringContaining('the server refuses this ConfigMap (Invalid): see metadata.labels');
  expect(status?.dryRun?.objects).toEqual([
    expect.objectContaining({ action: 'failed', name: 'masked', message: refused }),
  ]);
  expect(JSON.stringify(status)).not.toContain('token-x');
});
