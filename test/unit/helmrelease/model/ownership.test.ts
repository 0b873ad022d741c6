import { describe, expect, it, test } from '@jest/globals';
import type { Unstructured, ManagedFieldsEntry } from '#api/meta.js';
import {
  marksOf,
  ownershipConflict,
  withOwnership,
  isMadeByOthers,
  isTakenOver,
  isTakenOverCrd,
} from '#controllers/helmrelease/model/ownership.js';

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

  it('are on a Secret in plain text as it is stored: what leaves it must be known', () => {
    const secret: Unstructured = { ...BARE, kind: 'Secret', stringData: { key: 'text' } };
    const applied = withOwnership(secret, RELEASE);
    expect(applied).toMatchObject({ data: { key: 'dGV4dA==' }, metadata: OWN.metadata });
    expect(applied).not.toHaveProperty('stringData');
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

const LIVE = withOwnership({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }, RELEASE);

const WHOLE = { 'f:metadata': { 'f:annotations': { 'f:meta.helm.sh/release-name': {} } }, 'f:data': {} };

function entry(manager: string, fieldsV1: object = WHOLE): ManagedFieldsEntry {
  return { manager, operation: 'Update', fieldsV1 };
}

describe('isTakenOver', () => {
  test.each<[string, ManagedFieldsEntry, boolean]>([
    ['what helm wrote', entry('helm'), true],
    ['what Flux wrote from the client\u2019s side', entry('helm-controller'), true],
    ['what a program with helm in it wrote', entry('terraform-provider-helm_v3.0.2'), true],
    ['what an early Helm 3 wrote', entry('Go-http-client'), true],
    ['a part that helm wrote without its mark', entry('helm', { 'f:data': { 'f:a': {} } }), false],
    ['what a user changed', entry('kubectl-edit', { 'f:data': { 'f:a': {} } }), false],
    ['what a restore wrote, autoscaled replicas and all', entry('velero-server'), false],
    ['what nobody wrote', {}, false],
  ])('%s', (_name, written, expected) => {
    expect(isTakenOver(written, LIVE, RELEASE)).toBe(expected);
  });

  test('nothing of an object of another release', () => {
    expect(isTakenOver(entry('helm'), LIVE, { ...RELEASE, releaseName: 'api' })).toBe(false);
  });
});

describe('isTakenOverCrd', () => {
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'c' } };

  test.each<[string, ManagedFieldsEntry, Parameters<typeof isTakenOverCrd>[1], boolean]>([
    ['what helm wrote of a CRD without marks', entry('helm', { 'f:spec': {} }), crd, true],
    ['what helm wrote of the release’s own', entry('helm'), withOwnership(crd, RELEASE), true],
    ['nothing of another release’s', entry('helm'), withOwnership(crd, { ...RELEASE, releaseName: 'api' }), false],
    ['nothing that somebody else wrote', entry('kubectl'), crd, false],
  ])('%s', (_name, written, live, expected) => {
    expect(isTakenOverCrd(written, live, RELEASE)).toBe(expected);
  });
});

describe('isMadeByOthers', () => {
  const stored = (apply_method: string | undefined, untouched: boolean) =>
    ({ record: { apply_method }, revision: { untouched } }) as Parameters<typeof isMadeByOthers>[0][number]; // what is read

  test.each([
    ['no revision', [], false],
    ['ours', [stored('ssa', true)], false],
    ['one of helm by hand', [stored('ssa', true), stored('ssa', false)], true],
    ['one of Flux from the client\u2019s side', [stored('csa', true)], true],
    ['one of Helm 3', [stored(undefined, false)], true],
  ])('%s', (_name, revisions, expected) => {
    expect(isMadeByOthers(revisions)).toBe(expected);
  });
});
