import { describe, expect, test } from '@jest/globals';
import type { HelmReleaseSpec } from '#api/flux/helm-release.js';
import { describeDecision, type Decision } from '#controllers/helmrelease/model/decide.js';
import { hidesValues } from '#controllers/helmrelease/model/secret-values.js';

describe('a dry run of a HelmRelease', () => {
  test.each<[string, Pick<HelmReleaseSpec, 'valuesFrom' | 'upgrade'>, boolean, boolean]>([
    ['shows values of the spec', {}, false, false],
    ['shows values of a ConfigMap', { valuesFrom: [{ kind: 'ConfigMap', name: 'a' }] }, false, false],
    ['hides values of a Secret', { valuesFrom: [{ kind: 'Secret', name: 'a' }] }, false, true],
    ['hides values of an earlier revision', { upgrade: { preserveValues: true } }, false, true],
    ['hides values that a chart may look up', {}, true, true],
  ])('%s', (_title, spec, usesLookup, expected) => {
    expect(hidesValues(spec, { usesLookup })).toBe(expected);
  });

  test.each<[Decision, string]>([
    [{ kind: 'act', action: 'upgrade', why: 'values changed' }, 'upgrade (values changed)'],
    [{ kind: 'done', why: 'release matches the desired state' }, 'nothing (release matches the desired state)'],
    [{ kind: 'correct', why: '1 object differs' }, 'correct drift (1 object differs)'],
    [{ kind: 'stall', reason: 'RetriesExceeded', message: 'no attempt is left' }, 'nothing (no attempt is left)'],
    [{ kind: 'later' }, 'nothing'],
  ])('%j', (decision, expected) => {
    expect(describeDecision(decision)).toBe(expected);
  });
});
