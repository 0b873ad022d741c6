import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource, namespaceResource } from '#api/core.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject } from '#api/meta.js';
import { eventually, makeNamespace } from '../../support/world.js';
import { configMap, createHarness, type Files, type Harness } from './harness.js';

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness('spaces');
});

afterAll(() => harness.close());

const OWNER = 'kustomize.toolkit.fluxcd.io/name';

function place(name: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

const named = (name: string): string => `${harness.namespace}-${name}`;

/** A namespace that contains somebody else's object. */
async function platform(name: string): Promise<string> {
  const namespace = named(name);
  await makeNamespace(harness.host, namespace);
  const metadata = { name: 'precious', namespace };
  await harness.host.create(configMapResource, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  return namespace;
}

function liveNamespace(name: string): Promise<KubeObject | undefined> {
  return harness.host.get(namespaceResource, { name });
}

/** Expects that the namespace is not even being deleted, and still has that object. */
async function expectUntouched(namespace: string): Promise<void> {
  expect((await liveNamespace(namespace))?.metadata.deletionTimestamp).toBeUndefined();
  expect(await harness.host.get(configMapResource, { name: 'precious', namespace })).toBeDefined();
}

/** The state that an older controller left: the namespace has its labels, and is in its inventory. */
async function asRenamedBefore(name: string, namespace: string): Promise<void> {
  const labels = { [OWNER]: name, 'kustomize.toolkit.fluxcd.io/namespace': harness.namespace };
  const body = { metadata: { labels } };
  await harness.host.patch(namespaceResource, { name: namespace }, { type: 'merge', body });
  const entries = [{ id: `_${namespace}__Namespace`, v: 'v1' }];
  const written = await harness.host.patch<KubeObject>(
    kustomizationResource,
    { name, namespace: harness.namespace },
    { type: 'merge', body: { status: { inventory: { entries } } } },
    { subresource: 'status' },
  );
  await harness.controllers.untilSeen(written);
}

async function entriesOf(name: string): Promise<string[]> {
  return ((await harness.read(name)).status?.inventory?.entries ?? []).map(({ id }) => id);
}

const APP = { 'app.yaml': configMap('app') };

test.each<[string, Files, string]>([
  ['one', { 'n.yaml': place('inner') }, 'Namespace inner would become'],
  ['two', { 'n.yaml': place('inner'), 'o.yaml': place('outer') }, 'Namespaces inner, outer would become'],
])(
  '%s: a Namespace that targetNamespace would rename is refused, and nothing is applied',
  async (name, files, said) => {
    const namespace = await platform(name);
    await harness.publish(name, { ...files, ...APP });
    await harness.apply(name, { targetNamespace: namespace });
    const message = await harness.untilNotReady(name, 'BuildFailed');
    expect(message).toContain(`${said} ${namespace}, the name in spec.targetNamespace: leave it out of the files`);
    expect((await liveNamespace(namespace))?.metadata.labels).not.toHaveProperty(OWNER);
    expect(await harness.host.get(configMapResource, { name: 'app', namespace })).toBeUndefined();
    await harness.remove(name);
    await expectUntouched(namespace);
  },
);

test('a Namespace of the name in targetNamespace is applied and pruned with its Kustomization', async () => {
  const namespace = named('own');
  // Refers to the Namespace by the name that targetNamespace gives it.
  const source = { kind: 'ConfigMap', name: 'app', namespace, fieldPath: 'data.color' };
  const target = { select: { kind: 'Namespace' }, fieldPaths: ['metadata.labels.color'], options: { create: true } };
  await harness.publish('own', {
    'n.yaml': place('${place}'),
    'app.yaml': configMap('app', { color: 'red' }),
    'kustomization.yaml': JSON.stringify({
      resources: ['n.yaml', 'app.yaml'],
      replacements: [{ source, targets: [target] }],
    }),
  });
  await harness.apply('own', { targetNamespace: namespace, postBuild: { substitute: { place: namespace } } });
  await harness.untilReady('own');
  expect((await liveNamespace(namespace))?.metadata.labels).toMatchObject({ [OWNER]: 'own', color: 'red' });
  expect(await entriesOf('own')).toContain(`_${namespace}__Namespace`);
  await harness.remove('own');
  await eventually(async () => expect(await liveNamespace(namespace)).toBeUndefined(), { timeoutMs: 60_000 });
});

test('a Namespace that is renamed by its own kustomization file stays so', async () => {
  const namespace = named('written');
  const file = JSON.stringify({ namespace, resources: ['n.yaml', 'app.yaml'] });
  await harness.publish('written', { ...APP, 'n.yaml': place('inner'), 'kustomization.yaml': file });
  await harness.apply('written', { targetNamespace: undefined });
  await harness.untilReady('written');
  await harness.apply('written', { targetNamespace: namespace });
  await harness.untilReady('written');
  expect(await entriesOf('written')).toContain(`_${namespace}__Namespace`);
  await harness.remove('written');
});

test('one that was renamed before is let go of: neither what is to be done nor a deletion prunes it', async () => {
  const namespace = await platform('former');
  await harness.publish('former', { ...APP, 'n.yaml': place('inner') });
  await harness.apply('former', { targetNamespace: namespace, suspend: true });
  await asRenamedBefore('former', namespace);
  await harness.apply('former', { targetNamespace: namespace, suspend: false });
  const message = await harness.untilNotReady('former', 'BuildFailed');
  expect(message).toContain(`Namespace ${namespace} is not pruned any more because of it`);
  expect(await entriesOf('former')).toEqual([]);
  const revision = await harness.publish('former', APP);
  await harness.untilReady('former', revision);
  await expectUntouched(namespace);
  await harness.remove('former');
  await expectUntouched(namespace);
});

test('the target namespace is not pruned while objects are applied to it', async () => {
  const namespace = named('left');
  await harness.publish('left', { ...APP, 'n.yaml': place(namespace) });
  await harness.apply('left', { targetNamespace: namespace });
  await harness.untilReady('left');
  const revision = await harness.publish('left', APP);
  await harness.untilReady('left', revision);
  expect(await entriesOf('left')).toEqual([`${namespace}_app__ConfigMap`]);
  expect((await liveNamespace(namespace))?.metadata.deletionTimestamp).toBeUndefined();
  await harness.remove('left');
  expect((await liveNamespace(namespace))?.metadata.deletionTimestamp).toBeUndefined();
});
