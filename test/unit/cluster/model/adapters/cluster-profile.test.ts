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

  test('is kept with its facts only, each and together of bounded length', () => {
    const long = 'x'.repeat(8_000);
    const properties = [{ name: 'too-long', value: long.repeat(2) }].concat(
      Array.from({ length: 500 }, (_each, at) => ({ name: `p${at}`, value: long })),
    );
    const conditions = [{ type: 'ControlPlaneHealthy', status: 'False', message: long.repeat(9) }];
    const accessProviders = [{ name: long.repeat(100) }];
    const kept = clusterProfile.keep({
      ...{ apiVersion: 'multicluster.x-k8s.io/v1alpha1', kind: 'ClusterProfile', metadata: { name: 'eu' } },
      ...{ spec: { displayName: 'EU' }, status: { properties, conditions, accessProviders } },
    });
    expect(JSON.stringify(kept).length).toBeLessThan(100_000);
    expect(clusterProfile.keep(kept)).toEqual(kept);
    const { facts, readiness } = clusterProfile.clusterOf(kept);
    expect(Object.keys(facts['properties'] as object)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7']);
    expect(facts).toMatchObject({ displayName: 'EU' });
    expect(readiness.state).toBe('NotReady');
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
