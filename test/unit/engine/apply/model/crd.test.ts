import { expect, test } from '@jest/globals';
import type { Unstructured } from '#api/meta.js';
import { servedKinds } from '#engine/apply/model/crd.js';

function crd(spec: unknown): Unstructured {
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'a' }, spec };
}

test('a CRD has a kind served in each version that is not switched off', () => {
  const versions = [{ name: 'v1', served: true }, { name: 'v1beta1', served: false }, { name: 'v2' }];
  expect(servedKinds(crd({ group: 'a.test', names: { kind: 'One' }, versions }))).toEqual([
    { apiVersion: 'a.test/v1', kind: 'One' },
    { apiVersion: 'a.test/v2', kind: 'One' },
  ]);
});

test.each([
  undefined,
  null,
  'text',
  {},
  { group: 'a.test', names: null, versions: [] },
  { group: 'a.test', names: { kind: 'One' }, versions: 'v1' },
  { group: 'a.test', names: { kind: 'One' }, versions: [null, { name: 1 }] },
])('a malformed CRD has none: %j', (spec) => {
  expect(servedKinds(crd(spec))).toEqual([]);
});
