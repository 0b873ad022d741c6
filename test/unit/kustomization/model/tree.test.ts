import { expect, test } from '@jest/globals';
import { BuildViolation, kustomizationFilesIn } from '#controllers/kustomization/model/tree.js';
import { treeOf } from './builders.js';

test.each([
  ['kustomization.yaml', true],
  ['kustomization.yml', true],
  ['Kustomization', true],
  ['kustomization', false],
  ['Kustomization.yaml', false],
  ['Kustomization/a.yaml', false],
])('%s is a kustomization file: %s', (name, expected) => {
  expect(kustomizationFilesIn(treeOf({ [`app/${name}`]: '' }), 'app')).toEqual(expected ? [name] : []);
});

test('a violation is one of the build unless it says otherwise', () => {
  expect(new BuildViolation('x').reason).toBe('BuildFailed');
});
