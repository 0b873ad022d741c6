import { expect, test } from '@jest/globals';
import { isRegistry, notSupported } from '#controllers/flux/source/model/not-supported.js';
import { TerminalError } from '#controllers/runtime/pure/errors.js';

test('what is not supported is named, with both ways out', () => {
  const error = notSupported('spec.verify');
  expect(error).toBeInstanceOf(TerminalError);
  expect(error).toMatchObject({
    reason: 'FeatureNotSupported',
    message: 'spec.verify is not supported by the embedded engine: remove it, or run Flux (--engine=external)',
  });
  expect(notSupported('a Bucket', 'use a GitRepository').message).toContain(': use a GitRepository, or run Flux');
});

test.each([
  ['a Helm repository is none', { url: 'https://host/charts' }, false],
  ['by its type', { url: 'https://host/charts', type: 'oci' as const }, true],
  ['by its URL', { url: 'oci://host/charts', type: 'default' as const }, true],
])('a registry is told: %s', (_title, spec, expected) => {
  const repository = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'HelmRepository',
    metadata: { name: 'x' },
    spec,
  };
  expect(isRegistry(repository)).toBe(expected);
});
