import { describe, expect, test } from '@jest/globals';
import type { ManagedFieldsEntry } from '#api/meta.js';
import { withOwnership } from '#controllers/flux/helmrelease/model/ownership.js';
import { isMadeByOthers, isTakenOver, isTakenOverCrd } from '#controllers/flux/helmrelease/model/take-over.js';

const RELEASE = { releaseName: 'web', namespace: 'shop' };
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
