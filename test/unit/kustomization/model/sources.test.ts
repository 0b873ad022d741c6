import { expect, test } from '@jest/globals';
import { SOURCE_TYPES, sourceOf, staleDependency } from '#controllers/kustomization/model/sources.js';
import { kustomization } from './builders.js';

test.each([
  ['of its own namespace', { kind: 'GitRepository', name: 'app' }, 'GitRepository/mine/app'],
  ['of another one', { kind: 'OCIRepository', name: 'app', namespace: 'other' }, 'OCIRepository/other/app'],
] as const)('a source %s', (_title, sourceRef, source) => {
  expect(sourceOf({ metadata: { name: 'x', namespace: 'mine' }, spec: { sourceRef } })).toBe(source);
});

test('a source has the name that a change of it is known by', () => {
  expect(SOURCE_TYPES.map(({ kind }) => kind)).toEqual([
    'GitRepository',
    'OCIRepository',
    'Bucket',
    'ExternalArtifact',
  ]);
});

const OTHER = { sourceRef: { kind: 'GitRepository' as const, name: 'other' } };

test.each([
  [
    'the same source, behind',
    kustomization({}, { lastAppliedRevision: 'a' }),
    "dependency 'team/site' revision is not up to date",
  ],
  ['the same source, never applied', kustomization(), "dependency 'team/site' revision is not up to date"],
  ['the same source, up to date', kustomization({}, { lastAppliedRevision: 'b' }), undefined],
  ['another source', kustomization(OTHER, { lastAppliedRevision: 'a' }), undefined],
])('%s', (_title, dependency, expected) => {
  expect(staleDependency(kustomization(), dependency, 'b')).toBe(expected);
});
