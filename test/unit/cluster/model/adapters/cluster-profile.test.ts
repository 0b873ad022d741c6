import { describe, expect, test } from '@jest/globals';
import { clusterProfile } from '#controllers/cluster/model/adapters/cluster-profile.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';

function clusterOf(fields: object): Cluster {
  const metadata = { namespace: 'fleet', name: 'eu', labels: { 'x-k8s.io/cluster-manager': 'ocm' } };
  const apiVersion = 'multicluster.x-k8s.io/v1alpha1';
  return clusterProfile.clusterOf({ apiVersion, kind: 'ClusterProfile', metadata, ...fields });
}

describe('a ClusterProfile', () => {
  test('has properties as facts, a version, and is ready if its control plane is healthy', () => {
    const status = {
      version: { kubernetes: 'v1.32.0' },
      properties: [{ name: 'location', value: 'apac' }, { name: 'broken' }, 'broken', null],
      conditions: [{ type: 'ControlPlaneHealthy', status: 'True' }],
    };
    expect(clusterOf({ spec: { displayName: 'EU', clusterManager: { name: 'ocm' } }, status })).toMatchObject({
      id: { apiGroup: 'multicluster.x-k8s.io', kind: 'ClusterProfile', namespace: 'fleet', name: 'eu' },
      labels: { 'x-k8s.io/cluster-manager': 'ocm' },
      facts: { displayName: 'EU', clusterManager: 'ocm', properties: { location: 'apac' } },
      kubernetesVersion: 'v1.32.0',
      readiness: { state: 'Ready' },
    });
  });

  test('has no credential, and says why', () => {
    const { credential } = clusterOf({ status: { accessProviders: [{ name: 'google' }] } });
    expect(credential).toMatchObject({ type: 'none', why: expect.stringContaining('are never run') as unknown });
  });

  test('with a property of a strange name has that property', () => {
    const { facts } = clusterOf({ status: { properties: [{ name: '__proto__', value: 'x' }] } });
    expect(Object.keys(facts['properties'] as object)).toEqual(['__proto__']);
  });
});
