import { expect, test } from '@jest/globals';
import { isTakenOver } from '#controllers/kustomization/look.js';

test.each([
  ['kubectl', 'Apply', true],
  ['kubectl-client-side-apply', 'Update', true],
  ['before-first-apply', 'Update', true],
  ['kustomize-controller', 'Update', true],
  ['kustomize-controller', 'Apply', false],
  ['flux-client-side-apply', 'Update', false],
  ['horizontal-pod-autoscaler', 'Update', false],
])('what %s wrote by %s becomes ours: %s', (manager, operation, expected) => {
  expect(isTakenOver({ manager, operation }, 'kustomize-controller')).toBe(expected);
});
