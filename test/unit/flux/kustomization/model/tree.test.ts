import { expect, test } from '@jest/globals';
import { BuildViolation, isKustomizationFile } from '#controllers/flux/kustomization/model/tree.js';

test.each([
  ['kustomization.yaml', true],
  ['kustomization.yml', true],
  ['Kustomization', true],
  ['kustomization', false],
  ['Kustomization.yaml', false],
])('%s is a kustomization file: %s', (name, expected) => {
  expect(isKustomizationFile(name)).toBe(expected);
});

test('a violation is one of the build unless it says otherwise', () => {
  expect(new BuildViolation('x').reason).toBe('BuildFailed');
});
