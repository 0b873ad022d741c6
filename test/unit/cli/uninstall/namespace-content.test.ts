import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { contentInWords, contentOfOthers, describeCommand, type Content } from '#cli/install/until-deleted.js';

function secret(metadata: Partial<KubeObject['metadata']> = {}): Content {
  return { kind: 'Secret', object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', ...metadata } } };
}

describe('an object in the namespace of the controller', () => {
  it.each([
    ['of others keeps the namespace', secret(), true],
    ['of the controller does not', secret({ labels: { 'app.kubernetes.io/part-of': 'fairlead' } }), false],
    [
      'that is the token of a ServiceAccount does not',
      secret({ annotations: { 'kubernetes.io/service-account.name': 'x' } }),
      false,
    ],
  ])('%s', (_, content, keeps) => {
    expect(contentOfOthers([content])).toHaveLength(keeps ? 1 : 0);
  });
});

it('names three objects at most', () => {
  const contents = ['a', 'b', 'c', 'd'].map((name) => secret({ name }));
  expect(contentInWords(contents.slice(0, 1))).toBe('Secret a');
  expect(contentInWords(contents)).toBe('Secret a, Secret b, Secret c, 1 more');
});

it('is described in its namespace, if it has one', () => {
  expect(describeCommand(secret({ namespace: 'team' }))).toBe('kubectl describe -n team secret s');
  const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
  expect(describeCommand({ kind: 'Namespace', object })).toBe('kubectl describe namespace team');
});
