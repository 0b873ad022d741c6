import { expect, test } from '@jest/globals';
import { dependencyKeys, dependencyProblem, foreignExpression, readyExpressions } from '#engine/flux/dependencies.js';
import type { HelmRelease } from '#controllers/helmrelease/model/types.js';
import { helmRelease } from '../../helmrelease/model/builders.js';

test('a dependency is in the release’s own namespace unless it says otherwise', () => {
  const release = helmRelease({ dependsOn: [{ name: 'db' }, { name: 'dns', namespace: 'infra' }] });
  expect(dependencyKeys(release)).toEqual(['shop/db', 'infra/dns']);
});

test.each<[string, { namespace?: string; readyExpr?: string }, string | undefined]>([
  ['a dependency in the same namespace', { namespace: 'shop', readyExpr: 'true' }, undefined],
  ['one that names no namespace', { readyExpr: 'true' }, undefined],
  ['one in another namespace', { namespace: 'infra' }, undefined],
  ['one with an empty expression', { namespace: 'infra', readyExpr: '' }, undefined],
  [
    'one that reads another namespace',
    { namespace: 'infra', readyExpr: 'true' },
    'spec.dependsOn[1].readyExpr: HelmRelease infra/db is in another namespace',
  ],
])('where other namespaces are forbidden: %s', (_name, change, field) => {
  const problem = foreignExpression(helmRelease({ dependsOn: [{ name: 'web' }, { name: 'db', ...change }] }));
  expect(problem?.split(',')[0]).toBe(field);
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
  [
    'that is suspended, and was ready before',
    { ...dependency('True', 0), spec: { ...dependency('True').spec, suspend: true } },
    undefined,
  ],
  [
    'that is suspended, and failed before',
    { ...dependency('False', 0), spec: { ...dependency('False').spec, suspend: true } },
    "dependency 'shop/db' is not ready",
  ],
  ['that is ready', dependency('True'), undefined],
])('a dependency %s', (_name, object, expected) => {
  expect(dependencyProblem(helmRelease(), 'shop/db', { dependency: object })).toBe(expected);
});

function problemBy(readyExpr: string, object: HelmRelease | undefined): string | undefined {
  const self = helmRelease({ dependsOn: [{ name: 'db', readyExpr }] });
  return dependencyProblem(self, 'shop/db', { dependency: object, ready: readyExpressions(self)[0] });
}

test.each<[string, string, HelmRelease | undefined, string | undefined]>([
  ['is true of one that is not Ready', 'dep.metadata.generation == 1', dependency('False'), undefined],
  ['compares with self', 'self.metadata.namespace == dep.metadata.namespace', helmRelease(), undefined],
  [
    'is false of one that is Ready',
    "dep.status.conditions.exists(c, c.type == 'Ready' && c.status == 'False')",
    dependency('True'),
    "dependency 'shop/db' is not ready according to readyExpr",
  ],
  [
    'has no answer',
    'dep.status.observedGeneration == 1',
    helmRelease(),
    "dependency 'shop/db' is not ready: readyExpr: No such key: status",
  ],
  [
    'is about one that is missing',
    'true',
    undefined,
    "dependency 'shop/db' not found: create it, or remove it from spec.dependsOn",
  ],
])('a readyExpr that %s', (_name, readyExpr, object, expected) => {
  expect(problemBy(readyExpr, object)).toBe(expected);
});

test.each(['dep.status ==', 'release.spec.suspend == true', 'dep.metadata.name'])(
  'the readyExpr %s is refused',
  (text) => {
    const release = helmRelease({ dependsOn: [{ name: 'dns' }, { name: 'db', readyExpr: text }] });
    const message = expect.stringMatching(/^spec\.dependsOn\[1\]\.readyExpr is not a valid CEL expression/);
    expect(() => readyExpressions(release)).toThrow(
      expect.objectContaining({ reason: 'InvalidCELExpression', message }),
    );
  },
);
