import { expect, test } from '@jest/globals';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import { referenceReader } from '#controllers/cluster/references.js';
import type { Kube } from '#runtime/client/kube.js';

const API_VERSION = 'infrastructure.cluster.x-k8s.io/v1beta1';
const RESOURCE = { name: 'edges', kind: 'Edge', namespaced: true, verbs: ['get'] };

/** A host that has any object of this kind, each of 60 KB that are mostly empty maps. */
function hostWith(read: string[]): Kube {
  const host: Partial<Kube> = {
    server: 'https://host.test',
    read: () => Promise.resolve({ kind: 'APIResourceList', groupVersion: API_VERSION, resources: [RESOURCE] }),
    get: <T>(_type: unknown, { name, namespace }: { name: string; namespace?: string | undefined }) => {
      read.push(name);
      const spec = { a: Array.from({ length: 20_000 }, () => ({})) };
      return Promise.resolve({ apiVersion: API_VERSION, kind: 'Edge', metadata: { name, namespace }, spec } as T);
    },
  };
  return host as Kube; // all that is called
}

function clusterOf(name: string): Cluster {
  const object = {
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'Cluster',
    metadata: { name, namespace: 'shop' },
    spec: { infrastructureRef: { apiVersion: API_VERSION, kind: 'Edge', name } },
  };
  return { id: { kind: 'Cluster', namespace: 'shop', name }, facts: { cluster: object } } as unknown as Cluster; // all that is read
}

test('what is kept of the objects that Clusters refer to is bounded by the memory that it takes', async () => {
  const read: string[] = [];
  const references = referenceReader(hostWith(read));
  for (let index = 0; index < 30; index += 1) {
    expect(await references(clusterOf(`edge-${index}`))).toHaveProperty('infraCluster.spec.a.length', 20_000);
  }
  await references(clusterOf('edge-29'));
  expect(read).toHaveLength(30);
  await references(clusterOf('edge-0'));
  expect(read).toHaveLength(31);
});
