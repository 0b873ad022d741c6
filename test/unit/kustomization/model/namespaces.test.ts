import { describe, expect, it, test } from '@jest/globals';
import {
  namespaceManifests,
  printsNamespace,
  refuseRenamed,
  staysAsTarget,
} from '#controllers/kustomization/model/namespaces.js';
import { object } from './builders.js';

const inner = 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: inner\n';
const quoted =
  'apiVersion: v1\ndata:\n  a: |-\n    ---\n    kind: Namespace\n    apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: inner\n';
const foreign = 'apiVersion: x.io/v1\nkind: Namespace\nmetadata:\n  name: inner\n';
const numeric = 'apiVersion: v1\nkind: Namespace\nmetadata:\n  labels:\n    name: other\n  name: "123"\n';

test.each<[string, string[], string]>([
  ['one of several objects', [quoted, inner, foreign], inner],
  ['more than one', [inner, quoted, numeric], `${inner}---\n${numeric}`],
  ['none that is quoted', [quoted], ''],
  ['none of another group', [foreign], ''],
])('Namespaces are found in what kustomize printed: %s', (_name, documents, expected) => {
  expect(namespaceManifests(documents.join('---\n'))).toBe(expected);
});

test.each<[string, string, boolean]>([
  [inner, 'inner', true],
  [inner, 'inn', false],
  [numeric, '123', true],
  [numeric, 'other', false],
  [quoted, 'inner', false],
  [foreign, 'inner', false],
])('%#: a Namespace of a name is found', (text, name, expected) => {
  expect(printsNamespace(text, name)).toBe(expected);
});

describe('targetNamespace', () => {
  const named = (...names: string[]): ReturnType<typeof refuseRenamed> =>
    refuseRenamed(
      names.map((name) => object('Namespace', name)),
      'shared',
    );

  it('may be the name that a Namespace has', () => {
    expect(named('shared')).toBeUndefined();
    expect(named()).toBeUndefined();
  });

  it('is refused for one of another name, with what to do, and forgets the one that it was taken for', () => {
    expect(named('inner')).toEqual({
      kind: 'reject',
      reason: 'BuildFailed',
      message:
        'Namespace inner would become shared, the name in spec.targetNamespace: leave it out of the files, name it ' +
        'shared, or remove spec.targetNamespace. Namespace shared is not pruned any more because of it',
      forgets: '_shared__Namespace',
    });
  });

  it('is refused for several, beside one that has the name', () => {
    expect(named('a', 'shared', 'b')?.message).toContain('Namespaces a, b would become shared');
  });
});

describe('the target namespace', () => {
  const at = (creationTimestamp: string, name = 'shared') => object('Namespace', name, { creationTimestamp });
  const target = { targetNamespace: 'shared', createdAt: '2026-01-01T00:10:00Z' };
  it.each<[string, Parameters<typeof staysAsTarget>, boolean]>([
    ['stays while objects are applied to it', [at('2026-01-01T00:20:00Z'), target, 'prune'], true],
    ['stays if it is much older than its owner', [at('2026-01-01T00:00:00Z'), target, 'deleted'], true],
    ['goes with the owner that created it', [at('2026-01-01T00:10:00Z'), target, 'deleted'], false],
    ['goes if the clocks may differ as much', [at('2026-01-01T00:09:30Z'), target, 'deleted'], false],
    ['goes if nobody knows', [object('Namespace', 'shared'), target, 'deleted'], false],
    ['is no other one', [at('2026-01-01T00:00:00Z', 'other'), target, 'prune'], false],
    [
      'is none without the field',
      [at('2026-01-01T00:00:00Z'), { ...target, targetNamespace: undefined }, 'prune'],
      false,
    ],
    ['is no other kind', [object('ConfigMap', 'shared'), target, 'prune'], false],
  ])('%s', (_name, question, expected) => {
    expect(staysAsTarget(...question)).toBe(expected);
  });
});
