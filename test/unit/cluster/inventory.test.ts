import { describe, expect, it } from '@jest/globals';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { ClusterIndex } from '#controllers/cluster/credential/cluster-index.js';
import { clusterCaches, inventoryOf } from '#controllers/cluster/inventory.js';
import { credentialName } from '#controllers/cluster/model/credential-name.js';
import type { SetupContext } from '#controllers/runtime/controller.js';
import { Store } from '#controllers/runtime/store.js';

const ID = { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'fleet', name: 'eu' } as const;

function fail(error: unknown): never {
  throw error;
}

/** An inventory whose kinds are not served, but for the two versions of Cluster API, which the test fills. */
function clusterApiOnly() {
  const stores: Store<KubeObject>[] = [];
  const cache = (type: ResourceType): Store<KubeObject> => {
    const store = new Store<KubeObject>(type, fail);
    stores.push(store);
    return store;
  };
  // Of the context of setup, only this is used.
  const inventory = inventoryOf(clusterCaches({ cache } as unknown as SetupContext));
  const [newer, older] = stores.filter(({ type }) => type.group === ID.apiGroup);
  for (const store of stores) if (store !== newer && store !== older) store.notServed();
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

  it('gives the same clusters until one changes', () => {
    const { newer, inventory } = clusterApiOnly();
    newer.replace([cluster(newer)]);
    const before = inventory.clusters();
    expect(inventory.clusters()).toBe(before);
    newer.put({ ...cluster(newer), metadata: { ...cluster(newer).metadata, resourceVersion: '6' } });
    expect(inventory.clusters()).not.toBe(before);
  });
});
