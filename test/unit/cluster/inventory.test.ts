import { describe, expect, it } from '@jest/globals';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { ClusterIndex } from '#controllers/cluster/credential/cluster-index.js';
import { clusterCaches, inventoryOf } from '#controllers/cluster/inventory.js';
import { credentialName } from '#controllers/cluster/model/credential-name.js';
import type { SetupContext } from '#runtime/controller.js';
import { Store } from '#runtime/cache/store.js';

const ID = { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'fleet', name: 'eu' } as const;

function fail(error: unknown): never {
  throw error;
}

/** An inventory of which only some types are served; the test fills them. */
function served(isServed: (type: ResourceType) => boolean) {
  const stores: Store<KubeObject>[] = [];
  const cache = (type: ResourceType): Store<KubeObject> => {
    const store = new Store<KubeObject>(type, fail);
    stores.push(store);
    return store;
  };
  // Of the context of setup, only this is used.
  const inventory = inventoryOf(clusterCaches({ cache } as unknown as SetupContext));
  for (const store of stores) if (!isServed(store.type)) store.notServed();
  return { stores, inventory };
}

/** The two versions of Cluster API. */
function clusterApiOnly() {
  const { stores, inventory } = served(({ group }) => group === ID.apiGroup);
  const [newer, older] = stores.filter(({ type }) => type.group === ID.apiGroup);
  return { newer: newer!, older: older!, inventory, index: new ClusterIndex(inventory) };
}

function cluster({ type }: Store<KubeObject>): KubeObject {
  const metadata = { namespace: ID.namespace, name: ID.name, uid: '1', resourceVersion: '5' };
  return { apiVersion: `${type.group}/${type.version}`, kind: 'Cluster', metadata };
}

describe('an inventory', () => {
  it('has the clusters of the older version once it knows that only that one is served', () => {
    const { newer, older, inventory, index } = clusterApiOnly();
    older.replace([cluster(older)]);
    expect(inventory.clusters()).toEqual([]);
    expect(index.credentialNames()).toEqual([]);
    expect(inventory.whyUnknown(ID)).toContain('could not be listed yet');
    newer.notServed();
    expect(inventory.get(ID)?.id).toEqual(ID);
    expect(inventory.objectOf(ID)).toMatchObject(cluster(older));
    expect(inventory.clusters()).toHaveLength(1);
    expect(index.credentialNames()).toEqual([credentialName(ID)]);
    expect(inventory.whyUnknown(ID)).toBeUndefined();
  });

  it('has those of the newer version as soon as that is served', () => {
    const { newer, older, inventory, index } = clusterApiOnly();
    newer.notServed();
    older.replace([cluster(older)]);
    expect(index.credentialNames()).toHaveLength(1);
    newer.replace([]);
    expect(inventory.clusters()).toEqual([]);
    expect(index.credentialNames()).toEqual([]);
  });

  it('gives the same clusters until one changes, and then the same of all others', () => {
    const { newer, inventory } = clusterApiOnly();
    const of = (name: string, resourceVersion: string, more: object = {}): KubeObject => {
      const object = cluster(newer);
      const status = { conditions: [{ type: 'Other', message: resourceVersion }] };
      return { ...object, metadata: { ...object.metadata, name, resourceVersion, ...more }, ...{ status } };
    };
    newer.replace(['eu', 'us'].map((name) => of(name, '5')));
    const before = inventory.clusters();
    newer.put(of('eu', '6', { generation: 2 }));
    expect(inventory.clusters()).toBe(before);
    expect(inventory.objectOf({ ...ID, name: 'eu' })?.metadata.resourceVersion).toBe('6');
    newer.put(of('eu', '7', { labels: { env: 'prod' } }));
    const after = inventory.clusters();
    expect(after.map(({ labels }) => labels)).toEqual([{ env: 'prod' }, {}]);
    expect(after[1]).toBe(before[1]);
    newer.remove(of('eu', '8'));
    expect(inventory.clusters()).toEqual([before[1]]);
    newer.put(of('eu', '9'));
    expect(inventory.clusters()).toEqual([before[1], before[0]]);
  });

  it('knows a Secret that two adapters describe as the first one says, as it says now', () => {
    const { stores, inventory } = served(({ group }) => group === '');
    const secret = (resourceVersion: string, labels: Record<string, string> = {}): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'shop', name: 'both', uid: '1', resourceVersion, labels },
    });
    const [first, second, ...others] = stores.filter(({ served: is }) => is);
    expect(others).toEqual([]);
    first?.replace([secret('1', { from: 'first' })]);
    second?.replace([secret('1', { from: 'second' })]);
    const labels = (): unknown => inventory.clusters().map((each) => each.labels);
    expect(labels()).toEqual([{ from: 'first' }]);
    second?.put(secret('2', { from: 'second', more: 'x' }));
    expect(labels()).toEqual([{ from: 'first' }]);
    first?.remove(secret('3'));
    expect(labels()).toEqual([{ from: 'second', more: 'x' }]);
    first?.put(secret('4', { from: 'first again' }));
    expect(labels()).toEqual([{ from: 'first again' }]);
    second?.remove(secret('5'));
    first?.remove(secret('5'));
    expect(labels()).toEqual([]);
  });
});
