import { expect, test } from '@jest/globals';
import { SOURCE_TYPES, sourceOf } from '#controllers/flux/kustomization/model/sources.js';

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
