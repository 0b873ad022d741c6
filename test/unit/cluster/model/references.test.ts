import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { clusterApi } from '#controllers/cluster/model/adapters/cluster-api.js';
import { referencesOf, type Reference } from '#controllers/cluster/model/references.js';

const GROUP = 'controlplane.cluster.x-k8s.io';
const PLANE = { kind: 'KubeadmControlPlane', name: 'eu' };
const REF = { namespace: 'fleet', name: 'eu' };

function controlPlaneOf(controlPlaneRef: unknown): Reference | undefined {
  const metadata = { namespace: 'fleet', name: 'eu' };
  const object: KubeObject = { apiVersion: 'v1', kind: 'Cluster', metadata, ...{ spec: { controlPlaneRef } } };
  return referencesOf(clusterApi.clusterOf(object)).controlPlane;
}

describe('what a Cluster of Cluster API refers to', () => {
  const cases: readonly (readonly [string, unknown, Reference | undefined])[] = [
    [
      'has the version of v1beta1',
      { ...PLANE, apiVersion: `${GROUP}/v1beta1`, namespace: 'fleet' },
      { apiVersion: `${GROUP}/v1beta1`, kind: PLANE.kind, ref: REF },
    ],
    [
      'has some version in v1beta2, which names none',
      { ...PLANE, apiGroup: GROUP },
      { apiVersion: `${GROUP}/v1beta2`, kind: PLANE.kind, ref: REF },
    ],
    ['is ignored in another namespace', { ...PLANE, apiGroup: GROUP, namespace: 'kube-system' }, undefined],
    ['is ignored in another group', { ...PLANE, apiVersion: 'v1', kind: 'Secret' }, undefined],
    ['is ignored in a group that only begins like it', { ...PLANE, apiGroup: `${GROUP}.evil` }, undefined],
    ['is ignored if its version is a path', { ...PLANE, apiVersion: `${GROUP}/v1/../../../v1` }, undefined],
    ['is ignored if its version is none', { ...PLANE, apiVersion: `${GROUP}/` }, undefined],
    ['is ignored without a kind', { name: 'eu', apiGroup: GROUP }, undefined],
    ['is none if the reference is a text', 'eu', undefined],
  ];

  test.each(cases)('%s', (_title, reference, expected) => expect(controlPlaneOf(reference)).toEqual(expected));
});
