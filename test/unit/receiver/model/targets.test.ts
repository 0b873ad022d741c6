import { describe, expect, test } from '@jest/globals';
import type { ReceiverTarget } from '#api/flux/receiver.js';
import { findTargetProblem, targetsOf } from '#controllers/receiver/model/validate.js';
import { receiver } from './builders.js';

const of = (...resources: ReceiverTarget[]) => receiver({ resources });

test('a name, labels, and objects of another version become targets', () => {
  const targets = targetsOf(
    of(
      { kind: 'GitRepository', name: 'app' },
      { kind: 'Kustomization', name: '*', matchLabels: { app: 'web', 'example.com/tier': '' }, namespace: 'other' },
      { kind: 'HelmRepository', name: 'charts', apiVersion: 'source.toolkit.fluxcd.io/v1beta2', filter: 'true' },
    ),
  );
  expect(targets.map(({ type, ...rest }) => ({ ...rest, kind: `${type.kind} ${type.version}` }))).toEqual([
    { field: 'spec.resources[0]', kind: 'GitRepository v1', namespace: 'shop', name: 'app' },
    {
      ...{ field: 'spec.resources[1]', kind: 'Kustomization v1', namespace: 'other' },
      labelSelector: 'app=web,example.com/tier=',
    },
    { field: 'spec.resources[2]', kind: 'HelmRepository v1', namespace: 'shop', name: 'charts', filter: 'true' },
  ]);
});

describe('what cannot be reconciled is named', () => {
  test.each<[string, ReceiverTarget, string, RegExp]>([
    ['a kind of others', { kind: 'ImageRepository', name: 'a' }, 'FeatureNotSupported', /^ImageRepository is not/],
    [
      'a kind of the same name',
      { kind: 'Bucket', name: 'a', apiVersion: 'example.com/v1' },
      'FeatureNotSupported',
      /^Bucket of example.com\/v1 is not reconciled by the embedded engine: remove it/,
    ],
    ['another namespace', { kind: 'Bucket', name: 'a', namespace: 'b' }, 'AccessDenied', /^namespace b is another/],
    ['all without labels', { kind: 'Bucket', name: '*' }, 'ValidationFailed', /^the name \* needs matchLabels: add/],
    [
      'labels with a name',
      { kind: 'Bucket', name: 'a', matchLabels: { a: 'b' } },
      'ValidationFailed',
      /^matchLabels needs the name \*/,
    ],
    [
      'a value that is a selector',
      { kind: 'Bucket', name: '*', matchLabels: { a: 'b,c in (d)' } },
      'ValidationFailed',
      /^matchLabels: "a" is not a label: correct it$/,
    ],
    [
      'a key that is a selector',
      { kind: 'Bucket', name: '*', matchLabels: { '!a': '' } },
      'ValidationFailed',
      /^matchLabels: "!a" is not a label/,
    ],
  ])('%s', (_title, target, reason, message) => {
    const problem = findTargetProblem(of({ kind: 'GitRepository', name: 'fine' }, target), false);
    expect(problem?.reason).toBe(reason);
    expect(problem?.message).toMatch(/^spec\.resources\[1\]: /);
    expect(problem?.message.slice('spec.resources[1]: '.length)).toMatch(message);
  });
});

test('entries without end are rejected with the way out', () => {
  const entries = (count: number) => Array.from({ length: count }, () => ({ kind: 'Bucket' as const, name: 'a' }));
  expect(findTargetProblem(of(...entries(100)), false)).toBeUndefined();
  expect(findTargetProblem(of(...entries(101)), false)).toEqual({
    reason: 'ValidationFailed',
    message: 'spec.resources has 101 entries, and at most 100 are allowed: use matchLabels, or another Receiver',
  });
});

test('another namespace is allowed where references to other namespaces are', () => {
  expect(findTargetProblem(of({ kind: 'Bucket', name: 'a', namespace: 'b' }), true)).toBeUndefined();
  expect(findTargetProblem(of({ kind: 'Bucket', name: 'a', namespace: 'shop' }), false)).toBeUndefined();
});
