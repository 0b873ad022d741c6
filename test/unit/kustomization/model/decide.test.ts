import { describe, expect, test } from '@jest/globals';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { decide } from '#controllers/kustomization/model/decide.js';
import type { Manifests, Plan, Rejection, Synchronization } from '#controllers/kustomization/model/types.js';
import { kustomization, object } from './builders.js';

const ARTIFACT = { path: 'p', url: 'u', revision: 'r1', digest: 'sha256:1', lastUpdateTime: 't' };
const SCOPES = new Map([
  ['v1 ConfigMap', true],
  ['v1 Secret', true],
  ['v1 Namespace', false],
]);

function decideOn(
  objects: Unstructured[],
  owner: Kustomization = kustomization(),
  saysEmpty = false,
): Plan['decision'] {
  const manifests: Manifests = {
    kind: 'manifests',
    objects,
    digest: 'd',
    template: '',
    secrets: [],
    saysEmpty,
    scopes: SCOPES,
  };
  return decide({ kustomization: owner, artifact: ARTIFACT, manifests, isWatched: false }).decision;
}

function planOf(objects: Unstructured[], owner?: Kustomization): Synchronization {
  const plan = decideOn(objects, owner);
  if (plan.kind === 'reject') throw new Error(plan.message);
  return plan;
}

const here = (name: string): Unstructured => object('ConfigMap', name, { namespace: 'n' });
const keeps = (...names: string[]): Kustomization['status'] => ({
  inventory: { entries: names.map((name) => ({ id: `n_${name}__ConfigMap`, v: 'v1' })) },
});
const ids = (entries: readonly { readonly id: string }[]): string[] => entries.map(({ id }) => id);

describe('is rejected as a whole', () => {
  test.each<[string, Unstructured[], string, string]>([
    [
      'an object without a namespace',
      [object('ConfigMap', 'a')],
      'ReconciliationFailed',
      'ConfigMap/a namespace not specified',
    ],
    ['an object without a name', [object('ConfigMap', '')], 'BuildFailed', 'has no metadata.name'],
    ['two of one object', [here('a'), here('a')], 'BuildFailed', 'n_a__ConfigMap is built more than once'],
    [
      'an encrypted Secret',
      [{ ...object('Secret', 'a', { namespace: 'n' }), sops: {} }],
      'ReconciliationFailed',
      'encrypted by SOPS',
    ],
    [
      'objects whose names do not fit into the inventory',
      Array.from({ length: 4_000 }, (_, index) => here(`${'a'.repeat(240)}${index}`)),
      'BuildFailed',
      'the inventory of 4000 objects would have',
    ],
    ['too many objects', Array.from({ length: 5_001 }, (_, index) => here(`a${index}`)), 'BuildFailed', '5001 objects'],
  ])('%s', (_title, objects, reason, message) => {
    expect(decideOn(objects)).toEqual({ kind: 'reject', reason, message: expect.stringContaining(message) });
  });

  test('nothing where there was something', () => {
    const message = expect.stringContaining('the build is empty, and nothing is deleted');
    expect(decideOn([], kustomization({}, keeps('a')))).toEqual({ kind: 'reject', reason: 'BuildFailed', message });
  });
});

describe('an inventory that is full of what revisions left that failed', () => {
  const long = (index: number): string => `${'a'.repeat(240)}${index}`;
  const left = keeps(...Array.from({ length: 4_000 }, (_, index) => long(index)));

  test('does not grow, and the message has the way out', () => {
    expect(decideOn([here('new')], kustomization({}, left))).toEqual({
      ...{ kind: 'reject', reason: 'BuildFailed' },
      message: expect.stringMatching(
        /^the inventory of 4001 objects, among them 4000 that the source lacks, would have \d+ bytes, and .*: split the Kustomization, or first apply a source without new objects, after which those 4000 are no longer listed$/,
      ),
    });
  });

  test('is pruned by a build without new objects', () => {
    expect(planOf([here(long(0))], kustomization({}, left)).stale).toHaveLength(3_999);
  });
});

test.each<[string, Kustomization, boolean, string[]]>([
  ['that is meant deletes everything', kustomization({}, keeps('a')), true, ['n_a__ConfigMap']],
  ['deletes nothing without prune', kustomization({ prune: false }, keeps('a')), false, []],
  ['is fine where there was nothing', kustomization(), false, []],
])('an empty build %s', (_title, owner, saysEmpty, stale) => {
  const plan = decideOn([], owner, saysEmpty);
  expect(plan.kind === 'apply' && ids(plan.stale)).toEqual(stale);
});

test('what is to come is remembered before it is there, and what was there until it is gone', () => {
  const plan = planOf([here('b'), here('c')], kustomization({}, keeps('a', 'b')));
  expect(ids(plan.ahead)).toEqual(['n_a__ConfigMap', 'n_b__ConfigMap', 'n_c__ConfigMap']);
  expect(ids(plan.inventory)).toEqual(['n_b__ConfigMap', 'n_c__ConfigMap']);
  expect(ids(plan.stale)).toEqual(['n_a__ConfigMap']);
});

test.each<[string, Kustomization['status'], boolean]>([
  ['nothing was applied: it is', {}, true],
  ['another revision failed, and left nothing: it is', { lastAttemptedRevision: 'r0' }, true],
  ['this revision failed, and left nothing: it is a retry', { lastAttemptedRevision: 'r1' }, false],
  ['something is there: it is not', keeps('a'), false],
])('whether a roll-out is the first: %s', (_title, status, expected) => {
  expect(planOf([here('a')], kustomization({}, status)).isFirst).toBe(expected);
});

test('an object of a kind that is not served yet is not remembered ahead: its namespace may be none', () => {
  const sail = { ...object('Sail', 's', { namespace: 'n' }), apiVersion: 'example.com/v1' };
  const plan = planOf([sail, here('a')]);
  expect(ids(plan.ahead)).toEqual(['n_a__ConfigMap']);
  expect(ids(plan.inventory)).toEqual(['n_a__ConfigMap', 'n_s_example.com_Sail']);
});

test('a cluster-scoped object has no namespace, be its kind one of the same build', () => {
  const crd = {
    ...object('CustomResourceDefinition', 'sails.example.com'),
    apiVersion: 'apiextensions.k8s.io/v1',
    spec: { group: 'example.com', scope: 'Cluster', names: { kind: 'Sail' }, versions: [{ name: 'v1' }] },
  };
  const sail = { ...object('Sail', 's', { namespace: 'n' }), apiVersion: 'example.com/v1' };
  const plan = planOf([sail, crd, object('Namespace', 'n', { namespace: 'x' })]);
  expect(ids(plan.inventory)).toEqual([
    '_sails.example.com_apiextensions.k8s.io_CustomResourceDefinition',
    '_n__Namespace',
    '_s_example.com_Sail',
  ]);
});

describe('what is checked', () => {
  const ignored = object('ConfigMap', 'x', {
    namespace: 'n',
    annotations: { 'kustomize.toolkit.fluxcd.io/ssa': 'Ignore' },
  });
  const self = {
    ...object('Kustomization', 'site', { namespace: 'team' }),
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  };
  const check = { kind: 'ConfigMap', name: 'z' };
  test.each<[string, Partial<Kustomization['spec']>, string[]]>([
    ['nothing by default', {}, []],
    ['all objects with wait, but not itself', { wait: true, healthChecks: [check] }, ['ConfigMap n/a']],
    ['what is named', { healthChecks: [check] }, ['ConfigMap team/z']],
    ['what is named elsewhere', { healthChecks: [{ ...check, namespace: 'm' }] }, ['ConfigMap m/z']],
  ])('%s', (_title, spec, expected) => {
    const { checks } = planOf([here('a'), ignored, self], kustomization(spec));
    expect(checks.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual(expected);
  });
});

test('what cannot be built is rejected for that', () => {
  const manifests: Rejection = { kind: 'reject', reason: 'BuildFailed', message: 'no' };
  const observed = { kustomization: kustomization(), artifact: ARTIFACT, manifests, isWatched: false };
  expect(decide(observed).decision).toEqual(manifests);
});
