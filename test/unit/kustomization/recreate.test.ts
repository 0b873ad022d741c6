import { expect, test } from '@jest/globals';
import { holdsData } from '#controllers/kustomization/create.js';

const retention = (whenDeleted: string): object => ({ persistentVolumeClaimRetentionPolicy: { whenDeleted } });

test.each([
  ['v1', 'PersistentVolumeClaim', {}, true],
  ['v1', 'PersistentVolume', {}, true],
  ['v1', 'Namespace', {}, true],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', {}, true],
  ['apps/v1', 'StatefulSet', retention('Delete'), true],
  ['apps/v1', 'StatefulSet', retention('Retain'), false],
  ['apps/v1', 'StatefulSet', {}, false],
  ['v1', 'ConfigMap', {}, false],
])('%s %s with %j holds data: %s', (apiVersion, kind, spec, expected) => {
  expect(holdsData({ apiVersion, kind, metadata: { name: 'a' }, spec })).toBe(expected);
});
