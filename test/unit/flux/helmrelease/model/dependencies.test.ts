import { expect, test } from '@jest/globals';
import { dependencyKeys, dependencyProblem } from '../../../../../controllers/flux/helmrelease/model/dependencies.js';
import type { HelmRelease } from '../../../../../controllers/flux/helmrelease/model/types.js';
import { helmRelease } from './builders.js';

test('a dependency is in the release’s own namespace unless it says otherwise', () => {
  const release = helmRelease({ dependsOn: [{ name: 'db' }, { name: 'dns', namespace: 'infra' }] });
  expect(dependencyKeys(release)).toEqual(['shop/db', 'infra/dns']);
});

function dependency(status: 'True' | 'False', observedGeneration = 1): HelmRelease {
  const conditions = [{ type: 'Ready', status, reason: 'R', message: '', lastTransitionTime: '' }];
  return helmRelease({}, { status: { observedGeneration, conditions } });
}

test.each<[string, HelmRelease | undefined, string | undefined]>([
  ['that is missing', undefined, "dependency 'shop/db' not found: create it, or remove it from spec.dependsOn"],
  ['without a status', helmRelease(), "dependency 'shop/db' is not ready"],
  ['that is not ready', dependency('False'), "dependency 'shop/db' is not ready"],
  ['that was ready in an older generation', dependency('True', 0), "dependency 'shop/db' is not ready"],
  ['that is ready', dependency('True'), undefined],
])('a dependency %s', (_name, object, expected) => {
  expect(dependencyProblem('shop/db', object)).toBe(expected);
});
