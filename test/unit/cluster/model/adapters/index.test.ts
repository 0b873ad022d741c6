import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { adaptersFor } from '#controllers/cluster/model/adapters/index.js';
import { clusterIdText } from '#controllers/cluster/model/cluster.js';

const texts = fc.dictionary(fc.string(), fc.string());
const metadata = fc.record(
  { name: fc.string(), namespace: fc.string(), labels: texts, annotations: texts, deletionTimestamp: fc.string() },
  { requiredKeys: ['name'] },
);
const part = fc.oneof(
  fc.anything(),
  fc.dictionary(fc.constantFrom('conditions', 'properties', 'zones', 'connection', 'name'), fc.anything()),
);
const objects = fc.record({
  apiVersion: fc.string(),
  kind: fc.string(),
  metadata,
  spec: part,
  status: part,
  data: part,
});

describe('the adapters', () => {
  const all = adaptersFor(undefined);

  test.each(all.map((adapter) => [adapter.name, adapter] as const))(
    'of %s make a cluster of any object, the same one from what is kept of it',
    (_name, { keep, clusterOf, kind }) => {
      fc.assert(
        fc.property(objects, (object) => {
          const kept = keep(object);
          const cluster = clusterOf(kept);
          expect(cluster.id).toMatchObject({ ...kind, name: object.metadata.name });
          expect(clusterOf(keep(kept))).toEqual(cluster);
          expect(clusterIdText(cluster.id)).toContain(object.metadata.name);
        }),
      );
    },
  );

  test('of a controller that is limited to a namespace read no cluster-scoped objects', () => {
    const names = (namespace?: string): string[] => adaptersFor(namespace).map(({ name }) => name);
    expect(names()).toEqual(['KubeSphere', 'Cluster API', 'ClusterProfiles', 'kubeconfig Secrets', 'Argo CD']);
    expect(names('shop')).toEqual(['Cluster API', 'ClusterProfiles', 'kubeconfig Secrets', 'Argo CD']);
  });
});
