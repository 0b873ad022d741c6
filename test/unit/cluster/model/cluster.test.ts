import { describe, expect, test } from '@jest/globals';
import { clusterIdFrom, clusterIdText, type ClusterId } from '#controllers/cluster/model/cluster.js';

const CAPI: ClusterId = { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'fleet', name: 'eu' };

describe('the identity of a cluster as a text', () => {
  const cases: readonly (readonly [string, ClusterId, string])[] = [
    ['has group, kind, namespace and name', CAPI, 'cluster.x-k8s.io/Cluster/fleet/eu'],
    [
      'leaves the namespace of a cluster-scoped object empty',
      { ...CAPI, apiGroup: 'cluster.kubesphere.io', namespace: undefined },
      'cluster.kubesphere.io/Cluster//eu',
    ],
    ['leaves the group of a Secret empty', { ...CAPI, apiGroup: '', kind: 'Secret' }, '/Secret/fleet/eu'],
  ];

  test.each(cases)('%s', (_title, id, expected) => {
    expect(clusterIdText(id)).toBe(expected);
    expect(clusterIdFrom(expected)).toEqual(id);
  });

  test.each(['', 'eu', '/Secret/fleet', '/Secret/fleet/eu/x', '/Pod/fleet/eu'])('is not %j', (text) =>
    expect(clusterIdFrom(text)).toBeUndefined(),
  );
});
