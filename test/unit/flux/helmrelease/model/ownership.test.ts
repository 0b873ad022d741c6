import { describe, expect, it } from '@jest/globals';
import type { Unstructured } from '#api/meta.js';
import { marksOf, ownershipConflict, withOwnership } from '#controllers/flux/helmrelease/model/ownership.js';

const RELEASE = { releaseName: 'web', namespace: 'shop' };
const BARE: Unstructured = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'shop' } };
const OWN = withOwnership(BARE, RELEASE);

function marked(annotations: Record<string, string>, labels: Record<string, string> = {}): Unstructured {
  return { ...OWN, metadata: { ...OWN.metadata, annotations, labels } };
}

describe('the marks of a release', () => {
  it('make an object its own, and no other release\u2019s', () => {
    expect(marksOf(OWN, RELEASE)).toBe('own');
    expect(ownershipConflict(OWN, RELEASE)).toBeUndefined();
    expect(marksOf(OWN, { ...RELEASE, releaseName: 'api' })).toBe('other');
    expect(marksOf(OWN, { ...RELEASE, namespace: 'other' })).toBe('other');
    expect(marksOf(BARE, RELEASE)).toBe('none');
  });

  it('make an object a release\u2019s own only together, and another one\u2019s with any other', () => {
    expect(marksOf(marked({ 'meta.helm.sh/release-name': 'web' }), RELEASE)).toBe('none');
    expect(marksOf(marked({ 'meta.helm.sh/release-namespace': 'shop' }), RELEASE)).toBe('none');
    expect(marksOf(marked({ 'meta.helm.sh/release-name': 'api' }), RELEASE)).toBe('other');
    expect(marksOf(marked({ 'meta.helm.sh/release-namespace': 'other' }), RELEASE)).toBe('other');
    expect(marksOf(marked({ other: 'x' }), RELEASE)).toBe('none');
  });

  it('that are missing are named as helm names them', () => {
    expect(ownershipConflict(BARE, RELEASE)).toBe(
      'ConfigMap "c" in namespace "shop" exists and cannot be imported into the current release: invalid ownership metadata; ' +
        'label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"; ' +
        'annotation validation error: missing key "meta.helm.sh/release-name": must be set to "web"; ' +
        'annotation validation error: missing key "meta.helm.sh/release-namespace": must be set to "shop"',
    );
  });

  it('of another release are shown', () => {
    const { annotations = {}, labels = {} } = OWN.metadata;
    const theirs = marked({ ...annotations, 'meta.helm.sh/release-name': 'api' }, labels);
    expect(ownershipConflict(theirs, RELEASE)).toMatch(
      /metadata; annotation validation error: key "meta.helm.sh\/release-name" must equal "web": current value is "api"$/,
    );
    const clusterWide = { ...theirs, kind: 'ClusterRole', metadata: { ...theirs.metadata, namespace: undefined } };
    expect(ownershipConflict(clusterWide, RELEASE)).toMatch(/^ClusterRole "c" exists/);
  });
});
