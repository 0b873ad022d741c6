import { expect, test } from '@jest/globals';
import { staleDependency } from '#controllers/flux/kustomization/model/same-source.js';
import { kustomization } from './builders.js';

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
