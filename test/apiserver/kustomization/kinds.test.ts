import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { crdResource } from '#api/core.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { ResourceType, Unstructured } from '#api/meta.js';
import type { Member } from '#engine/member/member.js';
import { createMembers } from '#engine/member/members.js';
import { withKnownKinds } from '#engine/flux/objects.js';
import { eventually } from '../../support/world.js';
import { configMap, createHarness, type Harness } from './harness.js';

let harness: Harness;
const served: string[] = [];

beforeAll(async () => {
  harness = await createHarness('kinds');
});

afterAll(async () => {
  for (const name of served) await harness.host.delete(crdResource, { name });
  await harness.close();
});

/** As the API server lists its groups. */
interface GroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions: readonly { readonly groupVersion: string; readonly version: string }[];
  }[];
}

const groupOf = (name: string): string => `${name}.kinds.example.com`;

function typeOf(name: string, scope: string, version = 'v1'): ResourceType {
  return { group: groupOf(name), version, kind: 'Sail', plural: 'sails', namespaced: scope === 'Namespaced' };
}

/** The versions of a group that discovery lists with their kinds. */
async function listedVersions(group: string): Promise<string[]> {
  const { groups = [] } = (await harness.host.read('/apis')) as GroupList;
  const versions = groups.find(({ name }) => name === group)?.versions ?? [];
  const kinds = await Promise.all(versions.map(({ groupVersion }) => harness.host.read(`/apis/${groupVersion}`)));
  return versions.map(({ version }) => version).filter((_, index) => JSON.stringify(kinds[index]).includes('"Sail"'));
}

/** Has the host serve the kind of this name in these versions; resolves when its discovery says just that. */
async function serve(
  name: string,
  scope: 'Cluster' | 'Namespaced',
  versions: readonly string[] = ['v1'],
): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object' } };
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `sails.${groupOf(name)}` },
    spec: {
      ...{ group: groupOf(name), scope, names: { kind: 'Sail', plural: 'sails' } },
      versions: ['v1', 'v2'].map((each) => ({
        ...{ name: each, served: versions.includes(each), storage: each === 'v2', schema },
      })),
    },
  };
  served.push(crd.metadata.name);
  await harness.host.apply(crdResource, crd, { fieldManager: 'test', force: true });
  await eventually(async () => expect((await listedVersions(groupOf(name))).sort()).toEqual(versions));
}

function sail(name: string, metadata: object = {}, version = 'v1'): string {
  return JSON.stringify({ apiVersion: `${groupOf(name)}/${version}`, kind: 'Sail', metadata: { name, ...metadata } });
}

/** The inventory as an earlier pass may have left it. */
async function record(name: string, ids: readonly string[]): Promise<void> {
  const { host, namespace } = harness;
  const body = { status: { inventory: { entries: ids.map((id) => ({ id, v: 'v1' })) } } };
  await host.patch(kustomizationResource, { name, namespace }, { type: 'merge', body }, { subresource: 'status' });
}

async function idsOf(name: string): Promise<string[]> {
  return ((await harness.read(name)).status?.inventory?.entries ?? []).map(({ id }) => id);
}

function live(type: ResourceType, name: string): Promise<Unstructured | undefined> {
  return harness.host.get<Unstructured>(type, { name, namespace: harness.namespace });
}

test('an object that was recorded in a namespace before its kind was known to have none is not deleted', async () => {
  const { namespace } = harness;
  await harness.publish('late', { 'a.yaml': sail('late') });
  await harness.apply('late');
  expect(await harness.untilNotReady('late', 'ReconciliationFailed')).toContain('serves no kind Sail');
  expect(await idsOf('late')).toEqual([]);
  await harness.apply('late', { suspend: true });
  await record('late', [`${namespace}_late_${groupOf('late')}_Sail`]);
  await serve('late', 'Cluster');
  await harness.apply('late');
  await harness.untilReady('late');
  expect(await live(typeOf('late', 'Cluster'), 'late')).toBeDefined();
  expect(await idsOf('late')).toEqual([`_late_${groupOf('late')}_Sail`]);
});

test('a namespaced object that was recorded without a namespace stops neither prune nor deletion', async () => {
  const { namespace } = harness;
  for (const name of ['bare', 'stuck']) {
    await harness.publish(name, { 'a.yaml': sail(name) });
    await harness.apply(name, { targetNamespace: undefined });
    expect(await harness.untilNotReady(name, 'ReconciliationFailed')).toContain('serves no kind Sail');
    expect(await idsOf(name)).toEqual([]);
    await harness.apply(name, { targetNamespace: undefined, suspend: true });
    await record(name, [`_${name}_${groupOf(name)}_Sail`]);
    await serve(name, 'Namespaced');
    await harness.apply(name, { targetNamespace: undefined });
    await harness.until(name, ({ status }) => {
      expect(JSON.stringify(status?.conditions)).toContain('namespace not specified');
    });
  }
  await harness.publish('bare', { 'a.yaml': sail('bare', { namespace }) });
  await harness.untilReady('bare');
  expect(await idsOf('bare')).toEqual([`${namespace}_bare_${groupOf('bare')}_Sail`]);
  await harness.remove('stuck');
});

test('an object that the source lacks is deleted when its version is no longer served, but another one is', async () => {
  const { host, namespace } = harness;
  const type = typeOf('moved', 'Namespaced', 'v2');
  await serve('moved', 'Namespaced', ['v2']);
  const labels = {
    'kustomize.toolkit.fluxcd.io/name': 'moved',
    'kustomize.toolkit.fluxcd.io/namespace': namespace,
  };
  const object = JSON.parse(sail('moved', { namespace, labels }, 'v2')) as Unstructured; // as written above
  await eventually(() => host.apply(type, object, { fieldManager: 'kustomize-controller', force: true }));
  await harness.publish('moved', { 'a.yaml': configMap('moved') });
  await harness.apply('moved', { suspend: true });
  await record('moved', [`${namespace}_moved_${groupOf('moved')}_Sail`]);
  await harness.apply('moved');
  await harness.untilReady('moved');
  expect(await live(type, 'moved')).toBeUndefined();
  expect(await idsOf('moved')).toEqual([`${namespace}_moved__ConfigMap`]);
});

test('an object that the source lacks is deleted when its version was served a moment ago, and is no longer', async () => {
  const { host, namespace } = harness;
  await serve('left', 'Namespaced', ['v1', 'v2']);
  await harness.publish('left', { 'a.yaml': configMap('left'), 'b.yaml': sail('left') });
  await harness.apply('left');
  await harness.untilReady('left');
  await serve('left', 'Namespaced', ['v2']);
  await eventually(async () => {
    const list = host.list(typeOf('left', 'Namespaced'), { namespace });
    await expect(list).rejects.toThrow('404');
    // The server says so a moment later.
    await expect(host.read(`/apis/${groupOf('left')}/v1`)).rejects.toThrow('404');
  });
  expect(await live(typeOf('left', 'Namespaced', 'v2'), 'left')).toBeDefined();
  await harness.untilReady('left', await harness.publish('left', { 'a.yaml': configMap('left') }));
  expect(await live(typeOf('left', 'Namespaced', 'v2'), 'left')).toBeUndefined();
});

test('a kind that is not served is asked for once, however many objects of it are to be deleted', async () => {
  const { host, namespace } = harness;
  const members = createMembers({ host });
  const member = await members.get('host', namespace);
  const asked: string[] = [];
  const counted: Member = {
    ...member,
    servedType(apiVersion, kind, options) {
      asked.push(`${apiVersion} ${kind}`);
      return member.servedType(apiVersion, kind, options);
    },
  };
  const lost = Array.from({ length: 20 }, (_, index) => ({
    ...{ apiVersion: 'lost.example.com/v1', kind: 'Lost', metadata: { name: `lost-${index}`, namespace } },
  }));
  const there = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there', namespace } };
  const context = { member: counted, fieldManager: 'test', namespace: '', signal: new AbortController().signal };
  expect(await withKnownKinds(context, [...lost, there])).toEqual([there]);
  expect(asked).toEqual(['lost.example.com/v1 Lost', 'v1 ConfigMap']);
  await members.close();
});
