import { expect, it } from '@jest/globals';
import type { ClusterReference } from '#api/v1alpha1/destination.js';
import { type ClusterId, readReference } from '#controllers/cluster/model/cluster.js';

const KUBESPHERE = { apiGroup: 'cluster.kubesphere.io', kind: 'Cluster', namespace: undefined, name: 'eu' } as const;
const CLUSTER_API = { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'shop', name: 'eu' } as const;

it.each<[string, ClusterReference, ClusterId]>([
  ['a Cluster is that of KubeSphere', { kind: 'Cluster', name: 'eu' }, KUBESPHERE],
  ['which forms write with an empty namespace', { kind: 'Cluster', name: 'eu', namespace: '' }, KUBESPHERE],
  ['and may be named with its group', { apiGroup: KUBESPHERE.apiGroup, kind: 'Cluster', name: 'eu' }, KUBESPHERE],
  ['that of Cluster API has its group', { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', name: 'eu' }, CLUSTER_API],
  [
    'a ClusterProfile may be elsewhere',
    { kind: 'ClusterProfile', name: 'eu', namespace: 'fleet' },
    { apiGroup: 'multicluster.x-k8s.io', kind: 'ClusterProfile', namespace: 'fleet', name: 'eu' },
  ],
  [
    'a Secret has no group',
    { kind: 'Secret', name: 'eu' },
    { apiGroup: '', kind: 'Secret', namespace: 'shop', name: 'eu' },
  ],
])('%s', (_title, reference, id) => expect(readReference(reference, 'shop')).toEqual(id));

it.each<[string, ClusterReference, string | undefined, RegExp]>([
  [
    'a namespace of a KubeSphere cluster',
    { kind: 'Cluster', name: 'eu', namespace: 'shop' },
    'shop',
    /^namespace: a Cluster of KubeSphere has none/,
  ],
  [
    'a group that does not have the kind',
    { apiGroup: 'apps', kind: 'Cluster', name: 'eu' },
    'shop',
    /^apiGroup: .*not "apps"/,
  ],
  ['no namespace where there is no own one', { kind: 'Secret', name: 'eu' }, undefined, /^namespace: is missing/],
])('is rejected: %s', (_title, reference, own, problem) => {
  expect(readReference(reference, own)).toEqual({ problem: expect.stringMatching(problem) });
});
