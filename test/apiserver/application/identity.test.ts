import { describe, expect, it } from '@jest/globals';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { getCondition } from '#lib/kube/conditions.js';
import { eventually } from '../../support/world.js';
import { deploy, type Deploy } from '../../unit/application/model/builders.js';
import { approveRemovals } from './approve-removals.js';
import { useHarness } from './harness.js';

const FLUX = 'finalizers.fluxcd.io';

const harness = useHarness();

const names = (children: readonly Child[]): string[] => children.map(({ metadata }) => metadata.name);
const uids = (children: readonly Child[]): (string | undefined)[] => children.map(({ metadata }) => metadata.uid);

/** Puts an Application and waits until its children are there and its status tells of them. */
async function settled(name: string, entries: Deploy[]): Promise<Child[]> {
  await harness.put(name, entries);
  const children = await harness.eventuallyHas(name, entries.length);
  await harness.becomes(name, 'Unknown', 'DestinationsNotReady');
  return children;
}

/** Waits for an event on the Application whose text matches. */
function isTold(name: string, text: RegExp): Promise<void> {
  return eventually(async () => expect(await harness.eventsOf(name)).toContainEqual(expect.stringMatching(text)));
}

/** Deletes an Application so that its child stays, without an owner. */
async function orphan(name: string, entries: Deploy[]): Promise<Child> {
  const base = harness.wanted(name, entries);
  await harness.apply({ ...base, spec: { ...base.spec, deletionPolicy: 'Orphan' } });
  const [child] = await harness.eventuallyHas(name, 1);
  await harness.remove(name);
  await harness.eventuallyGone(name);
  return child!;
}

/** Waits until the only child of an Application is the given one, and is owned by it. */
async function isAdopted(name: string, child: Child): Promise<void> {
  const { uid } = (await harness.read(name)).metadata;
  await eventually(async () => {
    const children = await harness.childrenOf(name);
    expect(uids(children)).toEqual([child.metadata.uid]);
    expect(children[0]?.metadata.ownerReferences).toMatchObject([{ uid, controller: true }]);
  });
  await isTold(
    name,
    new RegExp(`^Adopted: Adopted HelmRelease ${harness.namespace}/${child.metadata.name}: taken over`),
  );
}

// Not in a describe: tests that run side by side would not wait for it.

describe('the identity of a destination, on a real API server', () => {
  it.concurrent('holds for an Application whose name is no label value', async () => {
    const name = `long.${'n'.repeat(80)}`;
    const [child] = await settled(name, [deploy('long-name', 'eu')]);
    expect(child?.metadata.name.length).toBeLessThanOrEqual(53);
    expect(child?.metadata.ownerReferences).toMatchObject([{ name }]);
    expect(child?.spec.releaseName).toMatch(/^long\.n{35}-[0-9a-f]{12}$/);
    await harness.report(child!, 'True', 'InstallSucceeded');
    await harness.becomes(name, 'True', 'AllReady');
    await harness.put(name, [deploy('long-name', 'eu', { timeout: '1m' })]);
    await eventually(async () => expect((await harness.childrenOf(name))[0]?.spec['timeout']).toBe('1m'));
    expect(uids(await harness.childrenOf(name))).toEqual([child?.metadata.uid]);
    await harness.remove(name);
    await harness.eventuallyGone(name);
    expect(await harness.childrenOf(name)).toEqual([]);
  });

  it.concurrent('is distinguished where the keys look the same', async () => {
    const key = (secret: string, part: string): Deploy => ({
      destination: { targetNamespace: 'b-c', kubeConfig: { secretRef: { name: secret, key: part } } },
    });
    const entries = [deploy('b-c', 'a'), deploy('c', 'a-b'), deploy('a-b-c'), key('a', 'other')];
    const children = await settled('alike', entries);
    expect(children.map(({ metadata }) => metadata.annotations?.['app.kubernetes.io/name'])).toEqual(
      Array.from({ length: 4 }, () => 'a-b-c'),
    );
    const failing = children.find(({ spec }) => spec.kubeConfig?.secretRef?.name === 'a-b');
    for (const child of children) {
      if (child !== failing) await harness.report(child, 'True', 'InstallSucceeded');
    }
    await harness.report(failing!, 'False', 'InstallFailed', 'no room');
    await harness.becomes('alike', 'False', 'DestinationsFailed');
    await eventually(async () => {
      const { status } = await harness.read('alike');
      expect(status?.summary).toMatchObject({ desired: 4, ready: '3/4', states: { ready: 3, failed: 1 } });
      expect(status?.fluxApp?.helmReleaseStatus?.['a-b-c']).toMatchObject({ conditions: [{ message: 'no room' }] });
    });
    await harness.put('alike', [deploy('b-c', 'a'), deploy('a-b-c'), key('a', 'other')]);
    await eventually(async () => {
      const left = names(children.filter((child) => child !== failing));
      expect(names(await harness.childrenOf('alike'))).toEqual(left);
    });
    await harness.becomes('alike', 'True', 'AllReady');
    await eventually(async () => {
      const { metadata, status } = await harness.read('alike');
      expect(status?.summary).toMatchObject({ desired: 3, ready: '3/3' });
      expect(metadata.labels).toMatchObject({ 'gitops.kubesphere.io/ready-number': '3-3' });
    });
  });

  it.concurrent('is its release: one namespace of one cluster holds two', async () => {
    const entries = (timeout: string): Deploy[] => [
      deploy('both', 'eu', { releaseName: 'blue', timeout }),
      deploy('both', 'eu', { releaseName: 'green' }),
    ];
    const children = await settled('both', entries('1m'));
    expect(children.map(({ spec }) => spec.releaseName).sort()).toEqual(['blue', 'green']);
    await harness.put('both', entries('2m'));
    await eventually(async () => {
      const timeouts = (await harness.childrenOf('both')).map(({ spec }) => [spec.releaseName, spec['timeout']]);
      expect(Object.fromEntries(timeouts)).toEqual({ blue: '2m', green: undefined });
    });
    const after = await harness.childrenOf('both');
    expect(uids(after)).toEqual(uids(children));
    expect(after.find(({ spec }) => spec.releaseName === 'green')?.metadata.resourceVersion).toBe(
      children.find(({ spec }) => spec.releaseName === 'green')?.metadata.resourceVersion,
    );
  });

  it.concurrent('outlasts a name that comes, and one that goes', async () => {
    const [child] = await settled('naming', [deploy('naming', 'eu')]);
    for (const name of ['main', undefined]) {
      await harness.put('naming', [deploy('naming', 'eu', name === undefined ? {} : { name })]);
      await eventually(async () => {
        const children = await harness.childrenOf('naming');
        expect(children[0]?.metadata.annotations?.['gitops.kubesphere.io/entry-name']).toBe(name);
        expect(children).toMatchObject([{ metadata: { uid: child?.metadata.uid, generation: 1 }, spec: child?.spec }]);
      });
    }
    expect((await harness.eventsOf('naming')).filter((text) => /^(Moving|Removing|Deleted)/.test(text))).toEqual([]);
  });
});

describe('a destination that moves, on a real API server', () => {
  interface Place {
    readonly targetNamespace: string;
    readonly cluster: string;
    readonly releaseName: string;
    readonly storageNamespace: string;
  }
  const entry = ({ targetNamespace, cluster, ...release }: Place, name?: string): Deploy =>
    deploy(targetNamespace, cluster, { ...release, ...(name === undefined ? {} : { name }) });
  const placeOf = (name: string): Place => ({
    targetNamespace: 'old',
    cluster: 'eu',
    releaseName: name,
    storageNamespace: 'store',
  });

  it.concurrent.each<[string, Partial<Place>, string]>([
    ['release', { releaseName: 'new' }, ''],
    ['storage', { storageNamespace: 'new' }, ''],
    ['namespaces', { targetNamespace: 'new', storageNamespace: 'new' }, ''],
    ['cluster', { cluster: 'us' }, ', which may have release store/moves-cluster on that cluster,'],
  ])('by its %s is told first, and replaced once the old one is gone', async (field, change, doubt) => {
    const name = `moves-${field}`;
    const after = { ...placeOf(name), ...change };
    const [old] = await settled(name, [entry(placeOf(name))]);
    await harness.finalizers(old!, FLUX);
    const since = await harness.position(name);
    await harness.put(name, [entry(after)]);
    if (field !== 'cluster') await approveRemovals(harness, name);
    await isTold(name, new RegExp(`^Removing: release store/${name} on eu is removed: no entry specifies it any more`));
    const isOld = ({ metadata }: Child): boolean => metadata.uid === old?.metadata.uid;
    await eventually(async () => {
      const children = await harness.childrenOf(name);
      expect(children.find(isOld)?.metadata.deletionTimestamp).toBeDefined();
      // What one release leaves behind, the next one may trip over.
      expect(children).toHaveLength(1);
    });
    const waiting = `waiting until HelmRelease ${harness.namespace}/${old?.metadata.name}${doubt} is deleted`;
    await eventually(async () => {
      const rows = (await harness.read(name)).status?.destinations ?? [];
      expect(rows.filter(({ message }) => message === waiting)).toHaveLength(1);
      expect(rows.filter(({ state }) => state === 'Deleting')).toHaveLength(1);
    });
    await harness.finalizers(old!);
    await eventually(async () => {
      const { cluster, ...spec } = after;
      const moved = { metadata: {}, spec: { ...spec, kubeConfig: { secretRef: { name: cluster } } } };
      const children = await harness.childrenOf(name);
      expect(children.filter(isOld)).toEqual([]);
      expect(children).toMatchObject([moved]);
    });
    await eventually(async () => {
      const writes = (await harness.writes(since, name)).filter((write) => write.endsWith('helmreleases'));
      // The next pass may ask for the deletion once more, before it hears that the child is going.
      expect([...new Set(writes)].sort()).toEqual(['delete helmreleases', 'patch helmreleases']);
    });
  });

  it.concurrent.each<[string, Partial<Place>, string | undefined]>([
    ['release of a named entry', { releaseName: 'moved' }, 'main'],
    ['namespace of the same release', { targetNamespace: 'moved' }, undefined],
  ])('to another %s keeps its child, and is told first', async (what, change, entryName) => {
    const name = `moves-to-${what.split(' ')[0] ?? ''}`;
    const before = placeOf(name);
    const after = { ...before, ...change };
    const [old] = await settled(name, [entry(before, entryName)]);
    await harness.put(name, [entry(after, entryName)]);
    await approveRemovals(harness, name);
    const comes = `followed by release store/${after.releaseName} on eu in namespace ${after.targetNamespace}`;
    await isTold(name, new RegExp(`^Moving: .* release store/${name} on eu is removed first, ${comes}$`));
    await eventually(async () => {
      const { releaseName, targetNamespace } = after;
      const child = { metadata: { uid: old?.metadata.uid }, spec: { releaseName, targetNamespace } };
      expect(await harness.childrenOf(name)).toMatchObject([child]);
    });
  });
});

describe('what is there already, on a real API server', () => {
  it.concurrent('is taken over by an Application of the same name, as it is', async () => {
    const entries = [deploy('restored', 'eu')];
    const child = await orphan('restored', entries);
    await harness.put('restored', entries);
    await isAdopted('restored', child);
    const [after] = await harness.childrenOf('restored');
    expect(after?.metadata.generation).toBe(child.metadata.generation);
    expect(after?.spec).toEqual(child.spec);
  });

  it.concurrent('is taken over although it was restored itself, with another UID', async () => {
    const entries = [deploy('backup', 'eu')];
    const { apiVersion, kind, metadata, spec } = await orphan('backup', entries);
    const { name, namespace, labels, annotations } = metadata;
    await harness.kube.delete(helmReleaseResource, metadata);
    const kept = { name, namespace, labels, annotations } as Child['metadata'];
    const child = await harness.kube.create<Child>(helmReleaseResource, { apiVersion, kind, metadata: kept, spec });
    expect(child.metadata.uid).not.toBe(metadata.uid);
    await harness.put('backup', entries);
    await isAdopted('backup', child);
    expect((await harness.childrenOf('backup'))[0]?.metadata.generation).toBe(1);
  });

  it.concurrent('is taken over from ks-devops, each child for its destination', async () => {
    const app = await harness.put('shipped', []);
    await harness.becomes('shipped', 'False', 'DeployEmpty');
    const at = (name: string) => ({ targetNamespace: 'shipped', kubeConfig: { secretRef: { name } } });
    const eu = await harness.legacyChild(app, 'eu-shipped', at('eu'));
    const us = await harness.legacyChild(app, 'us-shipped', at('us'));
    await harness.hasHeardOf('shipped', 2);
    await harness.put('shipped', [deploy('shipped', 'us'), deploy('shipped', 'eu')]);
    await isTold('shipped', /^Adopted: Adopted 2 HelmReleases.*: taken over$/);
    await eventually(async () => {
      const children = await harness.childrenOf('shipped');
      expect(uids(children).sort()).toEqual(uids([eu, us]).sort());
      for (const { metadata, spec } of children) {
        expect(metadata.ownerReferences).toMatchObject([{ uid: app.metadata.uid, controller: true }]);
        expect(spec).toMatchObject({ releaseName: `shipped-${metadata.name}`, storageNamespace: harness.namespace });
      }
    });
  });

  it.concurrent(
    'belongs to one Application: the other one is told who, as event and condition, and takes nothing',
    async () => {
      const wanted = deploy('claimed', 'eu', { releaseName: 'claimed' });
      const [held] = await settled('holder', [wanted]);
      await harness.put('claimant', [wanted]);
      await harness.becomes('claimant', 'False', 'ReleaseConflict');
      const belongs = `release claimed/claimed belongs to HelmRelease ${harness.namespace}/${held?.metadata.name}`;
      const { status } = await harness.read('claimant');
      expect(getCondition(status?.conditions, 'Stalled')?.message).toContain(belongs);
      await isTold('claimant', new RegExp(`^ReleaseConflict: .*${belongs}`));
      expect(await harness.childrenOf('claimant')).toEqual([]);
      const [still] = await harness.childrenOf('holder');
      expect(still?.metadata).toMatchObject({
        uid: held?.metadata.uid,
        resourceVersion: held?.metadata.resourceVersion,
      });
    },
  );
});
