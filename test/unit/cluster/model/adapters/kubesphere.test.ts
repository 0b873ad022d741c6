import { describe, expect, test } from '@jest/globals';
import { kubesphere } from '#controllers/cluster/model/adapters/kubesphere.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';

function clusterOf(fields: object, labels: Record<string, string> = {}): Cluster {
  const metadata = { name: 'gondor', labels };
  return kubesphere.clusterOf({ apiVersion: 'cluster.kubesphere.io/v1alpha1', kind: 'Cluster', metadata, ...fields });
}

describe('a Cluster of KubeSphere', () => {
  test('is a cluster without a namespace, whose credential is in the object', () => {
    expect(clusterOf({})).toMatchObject({
      id: { apiGroup: 'cluster.kubesphere.io', kind: 'Cluster', namespace: undefined, name: 'gondor' },
      isHost: false,
      credential: { type: 'inline' },
    });
  });

  test('is the host with the label of the host, whatever its value', () => {
    const host = clusterOf({}, { 'cluster-role.kubesphere.io/host': '' });
    expect(host).toMatchObject({ isHost: true, credential: { type: 'host' } });
  });

  test('has facts, a version and a readiness from its status', () => {
    const status = {
      kubernetesVersion: 'v1.31.0',
      kubeSphereVersion: 'v4.1.3',
      nodeCount: 3,
      region: 'eu-west',
      zones: ['a', 7, 'b'],
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    expect(clusterOf({ spec: { provider: 'aws' }, status })).toMatchObject({
      kubernetesVersion: 'v1.31.0',
      facts: { provider: 'aws', region: 'eu-west', zones: ['a', 'b'], nodeCount: 3, kubeSphereVersion: 'v4.1.3' },
      readiness: { state: 'Ready' },
    });
  });

  test('has no facts if it has no status', () => {
    expect(clusterOf({ status: null, spec: [] })).toMatchObject({ facts: {}, readiness: { state: 'Unknown' } });
  });

  test('has the version of its kubeconfig, whatever else changes', () => {
    const kept = (kubeconfig: string, generation: number, status = {}): Cluster => {
      const metadata = { name: 'gondor', uid: 'u', generation };
      const fields = { spec: { connection: { type: 'direct', kubeconfig } }, status };
      const object = kubesphere.keep({ apiVersion: 'v1', kind: 'Cluster', metadata, ...fields });
      expect(kubesphere.keep(object)).toEqual(object);
      return kubesphere.clusterOf(object);
    };
    const { credential } = kept('Zmlyc3Q=', 1);
    expect(kept('Zmlyc3Q=', 2, { region: 'eu' }).credential).toEqual(credential);
    expect(kept('b3RoZXI=', 2).credential).not.toEqual(credential);
  });

  test('is kept without its credentials, also those in what kubectl applied', () => {
    const connection = { type: 'direct', kubeconfig: 'c2VjcmV0', token: 'secret' };
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"kubeconfig":"c2VjcmV0"}' };
    const metadata = { name: 'gondor', annotations };
    const kept = kubesphere.keep({ apiVersion: 'v1', kind: 'Cluster', metadata, ...{ spec: { connection } } });
    expect(kept).toMatchObject({ spec: { connection: { type: 'direct' } } });
    expect(JSON.stringify(kept)).not.toMatch(/c2VjcmV0|secret/);
  });
});
