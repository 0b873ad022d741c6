import { describe, expect, test } from '@jest/globals';
import { absence, type Absence } from '#controllers/cluster/existence.js';

const TYPE = 'clusters.cluster.x-k8s.io';
const CREATED = '2026-01-02T00:00:00Z';

function crdOf(metadata: object = {}, versions: unknown = [{ name: 'v1beta1', served: true }]): Absence['crd'] {
  const known = { name: TYPE, creationTimestamp: CREATED, ...metadata };
  return { apiVersion: 'v1', kind: 'CustomResourceDefinition', metadata: known, ...{ spec: { versions } } };
}

describe('a cluster whose object is not there', () => {
  const cases: readonly (readonly [string, Partial<Absence>, RegExp | 'gone'])[] = [
    ['is gone if its kind is served', {}, 'gone'],
    ['is gone if it was known after its kind was created', { knownSince: '2026-01-03T00:00:00Z' }, 'gone'],
    ['is gone if it was known in the second of that', { knownSince: CREATED }, 'gone'],
    ['is unknown without its kind', { crd: undefined }, /has no CustomResourceDefinition/],
    ['is unknown while its kind is being deleted', { crd: crdOf({ deletionTimestamp: CREATED }) }, /is being deleted/],
    [
      'is unknown if its kind is served in no version that is read',
      { crd: crdOf({}, [{ name: 'v2', served: true }]) },
      /none of/,
    ],
    [
      'is unknown if a version is no longer served',
      { crd: crdOf({}, [{ name: 'v1beta1', served: false }]) },
      /none of/,
    ],
    ['is unknown if the versions cannot be read', { crd: crdOf({}, null) }, /none of/],
    ['is unknown if its kind was created again since', { knownSince: '2026-01-01T00:00:00Z' }, /was created again/],
  ];

  test.each(cases)('%s', (_title, more, expected) => {
    const existence = absence({
      type: TYPE,
      versions: ['v1beta2', 'v1beta1'],
      crd: crdOf(),
      knownSince: undefined,
      ...more,
    });
    if (expected === 'gone') expect(existence).toBe('gone');
    else expect(existence).toEqual({ unknown: expect.stringMatching(expected) as unknown });
  });
});
