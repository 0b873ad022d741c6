import { expect, test } from '@jest/globals';
import { applicationSchema } from '#console/shared/application-schema.js';
import type { PlainMap } from '#lib/plain.js';

/** By the keys of a JSON schema. */
function at(...keys: string[]): unknown {
  // Each of them is a map on the way.
  return keys.reduce<unknown>((found, key) => (found as PlainMap)[key], applicationSchema());
}

const CONFIG = ['properties', 'spec', 'properties', 'fluxApp', 'properties', 'spec', 'properties', 'config'];
const ENTRY = [...CONFIG, 'properties', 'helmRelease', 'properties', 'deploy', 'items'];

test('what the CRD prunes is not allowed, and what it keeps is', () => {
  expect(at(...ENTRY, 'additionalProperties')).toBe(false);
  expect(at(...ENTRY, 'properties', 'values')).toEqual({
    type: 'object',
    description: expect.stringContaining('alues') as unknown,
  });
  expect(at('properties', 'metadata', 'properties', 'labels', 'additionalProperties')).toEqual({ type: 'string' });
  expect(at('properties', 'metadata')).not.toHaveProperty('additionalProperties');
});

test('fields have their words, choices and what is required', () => {
  expect(at('properties', 'spec', 'properties', 'kind', 'enum')).toEqual(['fluxcd', 'argocd']);
  expect(at('properties', 'spec', 'properties', 'maxRemovals', 'anyOf')).toHaveLength(2);
  expect(at('required')).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
});

test('rules of Kubernetes stay with the API server, and the schema is small', () => {
  const text = JSON.stringify(applicationSchema());
  expect(text).not.toContain('x-kubernetes');
  expect(text.length).toBeLessThan(100_000);
});
