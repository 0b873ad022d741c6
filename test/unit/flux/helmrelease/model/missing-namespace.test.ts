import { expect, test } from '@jest/globals';
import { lacksNamespace, withNamespaceHint } from '#controllers/flux/helmrelease/model/missing-namespace.js';
import type { HelmReleaseSpec } from '#controllers/flux/helmrelease/model/types.js';
import { helmRelease, snapshot } from './builders.js';

const MISSING = 'namespaces "apps" not found';

test.each<[string, Partial<HelmReleaseSpec>, string, string]>([
  ['the target namespace is missing', { targetNamespace: 'apps' }, MISSING, 'set spec.install.createNamespace: true'],
  [
    'the own one is',
    {},
    'namespaces "shop" not found',
    'set spec.targetNamespace and spec.install.createNamespace: true',
  ],
])('where %s, the way out is told', (_name, spec, problem, wayOut) => {
  expect(withNamespaceHint(helmRelease(spec), problem)).toBe(`${problem}: create it, or ${wayOut}`);
});

test.each<[string, Partial<HelmReleaseSpec>, string]>([
  ['another namespace is missing', { targetNamespace: 'apps' }, 'namespaces "other" not found'],
  ['something else is wrong', { targetNamespace: 'apps' }, 'timeout'],
  ['it was to be made', { targetNamespace: 'apps', install: { createNamespace: true } }, MISSING],
])('where %s, nothing is added', (_name, spec, problem) => {
  expect(withNamespaceHint(helmRelease(spec), problem)).toBe(problem);
});

test('of a release that is installed already, nothing is added: the field is for installs', () => {
  const installed = helmRelease({ targetNamespace: 'apps' }, { status: { history: [snapshot()] } });
  expect(withNamespaceHint(installed, MISSING)).toBe(MISSING);
});

test.each<[string, boolean, Partial<HelmReleaseSpec>, string]>([
  ['the target namespace is missing', true, { targetNamespace: 'apps' }, MISSING],
  [
    'it was to be made, and is gone again',
    true,
    { targetNamespace: 'apps', install: { createNamespace: true } },
    MISSING,
  ],
  ['another namespace is missing', false, { targetNamespace: 'apps' }, 'namespaces "other" not found'],
])('a release is tried again soon: %s (%s)', (_name, expected, spec, problem) => {
  expect(lacksNamespace(helmRelease(spec), problem)).toBe(expected);
});
