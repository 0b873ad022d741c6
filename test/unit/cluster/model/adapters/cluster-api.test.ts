import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { clusterApi } from '#controllers/cluster/model/adapters/cluster-api.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';

function objectOf(fields: object, annotations: Record<string, string> = {}): KubeObject {
  const metadata = { namespace: 'fleet', name: 'eu', labels: { env: 'prod' }, annotations };
  return { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata, ...fields };
}

function clusterOf(fields: object, annotations?: Record<string, string>): Cluster {
  return clusterApi.clusterOf(clusterApi.keep(objectOf(fields, annotations)));
}

describe('a Cluster of Cluster API', () => {
  test('has the kubeconfig that Cluster API made for it, and itself as a fact', () => {
    const spec = { topology: { version: 'v1.33.1' }, clusterNetwork: { pods: { cidrBlocks: ['10.0.0.0/16'] } } };
    expect(clusterOf({ spec })).toMatchObject({
      id: { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'fleet', name: 'eu' },
      labels: { env: 'prod' },
      kubernetesVersion: 'v1.33.1',
      facts: { cluster: { metadata: { name: 'eu' }, spec } },
      credential: { type: 'kubeconfig-secret', namespace: 'fleet', name: 'eu-kubeconfig', key: 'value' },
    });
  });

  const condition = (status: string) => [{ type: 'ControlPlaneInitialized', status, message: 'waiting' }];
  const states: readonly (readonly [string, object, string])[] = [
    ['is Ready with the condition of v1beta2', { conditions: condition('True') }, 'Ready'],
    ['is NotReady while its control plane is not initialized', { conditions: condition('False') }, 'NotReady'],
    ['is Ready with the conditions of v1beta2 in v1beta1', { v1beta2: { conditions: condition('True') } }, 'Ready'],
    [
      'follows the conditions of v1beta2 before those of v1beta1',
      { conditions: condition('True'), v1beta2: { conditions: condition('False') } },
      'NotReady',
    ],
    ['is Ready with the field of the contract', { initialization: { controlPlaneInitialized: true } }, 'Ready'],
    ['is Ready with the field of the old contract', { controlPlaneReady: true }, 'Ready'],
    [
      'is Ready with the field, whatever an older condition says',
      { initialization: { controlPlaneInitialized: true }, conditions: condition('False') },
      'Ready',
    ],
    ['is Unknown without a status', {}, 'Unknown'],
  ];

  test.each(states)('%s', (_title, status, expected) => expect(clusterOf({ status }).readiness.state).toBe(expected));

  test('is NotReady while it is being deleted', () => {
    const object = objectOf({ status: { conditions: condition('True') } });
    const deleted = { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(clusterApi.clusterOf(deleted).readiness).toEqual({ state: 'NotReady', message: 'it is being deleted' });
  });

  test('is paused by its spec, and by the annotation with any value', () => {
    const paused = [clusterOf({ spec: { paused: true } }), clusterOf({}, { 'cluster.x-k8s.io/paused': 'false' })];
    expect(paused.map(({ isPaused }) => isPaused)).toEqual([true, true]);
    expect(clusterOf({ spec: { paused: 'true' } }).isPaused).toBe(false);
  });

  test('that is too long is kept without its facts, with what the inventory needs', () => {
    const variables = [{ name: 'big', value: 'x'.repeat(65_536) }];
    const other = { type: 'Other', status: 'False', message: 'x'.repeat(65_536) };
    const long = {
      spec: { paused: true, topology: { version: 'v1.33.1', variables } },
      status: { conditions: [other, ...condition('True')] },
    };
    const kept = clusterApi.keep(objectOf(long));
    expect(JSON.stringify(kept).length).toBeLessThan(1_000);
    expect(clusterApi.keep(kept)).toEqual(kept);
    expect(clusterApi.clusterOf(kept)).toMatchObject({
      facts: {},
      kubernetesVersion: 'v1.33.1',
      isPaused: true,
      readiness: { state: 'Ready' },
    });
  });
});
