import { expect, test } from '@jest/globals';
import { ConflictError, TransientError } from '#lib/errors.js';
import { lacksNamespace, missingNamespace, withNamespaceHint } from '#controllers/helmrelease/model/namespace.js';
import type { HelmReleaseSpec } from '#controllers/helmrelease/model/types.js';
import { helmRelease, snapshot } from './builders.js';

const PROBLEM = 'no such namespace';

function notFound(resource: string): TransientError {
  return new TransientError('no', {
    status: { code: 404, reason: 'NotFound', causes: [], subject: { resource, name: 'apps' } },
  });
}

test.each<[string, unknown, string | undefined]>([
  ['an answer that names a namespace', notFound('namespaces'), 'apps'],
  [
    'such an answer behind another error',
    new TransientError('cannot apply', { cause: notFound('namespaces') }),
    'apps',
  ],
  ['an answer that names another object', notFound('secrets'), undefined],
  ['a text that names a namespace', new TransientError('namespaces "apps" not found'), undefined],
  ['another answer about a namespace', new ConflictError('namespaces "apps"'), undefined],
])('%s', (_name, error, expected) => {
  expect(missingNamespace(error)).toBe(expected);
});

test.each<[string, Partial<HelmReleaseSpec>, string, string]>([
  ['the target namespace', { targetNamespace: 'apps' }, 'apps', 'set spec.install.createNamespace: true'],
  ['the namespace of the release', {}, 'shop', 'set spec.targetNamespace and spec.install.createNamespace: true'],
])('%s does not exist: the message says what to do', (_name, spec, missing, wayOut) => {
  expect(withNamespaceHint(helmRelease(spec), PROBLEM, missing)).toBe(`${PROBLEM}: create it, or ${wayOut}`);
});

test.each<[string, Partial<HelmReleaseSpec>, string | undefined]>([
  ['another namespace does not exist', { targetNamespace: 'apps' }, 'other'],
  ['the error is another', { targetNamespace: 'apps' }, undefined],
  ['createNamespace is set already', { targetNamespace: 'apps', install: { createNamespace: true } }, 'apps'],
])('%s: nothing is added', (_name, spec, missing) => {
  expect(withNamespaceHint(helmRelease(spec), PROBLEM, missing)).toBe(PROBLEM);
});

test('nothing is added for an installed release: createNamespace is for installs', () => {
  const installed = helmRelease({ targetNamespace: 'apps' }, { status: { history: [snapshot()] } });
  expect(withNamespaceHint(installed, PROBLEM, 'apps')).toBe(PROBLEM);
});

test.each<[string, boolean, Partial<HelmReleaseSpec>, string]>([
  ['the target namespace does not exist', true, { targetNamespace: 'apps' }, 'apps'],
  ['it was deleted again', true, { targetNamespace: 'apps', install: { createNamespace: true } }, 'apps'],
  ['another namespace does not exist', false, { targetNamespace: 'apps' }, 'other'],
])('retried soon when %s: %s', (_name, expected, spec, missing) => {
  expect(lacksNamespace(helmRelease(spec), missing)).toBe(expected);
});
