import { expect, test } from '@jest/globals';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { APPLICATION_UID_LABEL, CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import {
  contested,
  keepersOf,
  leftIds,
  neighboursOf,
  ownerKeyOf,
  wantedEntries,
  wants,
  whyTaken,
} from '#controllers/kustomization/model/neighbours.js';

interface Said {
  readonly namespace?: string;
  readonly secret?: string;
  readonly uid?: string;
  readonly app?: string;
  readonly has?: readonly string[];
  readonly waits?: readonly string[];
  readonly after?: readonly string[];
  readonly isGoing?: boolean;
}

const entries = (names: readonly string[]) => names.map((name) => ({ id: `team_${name}__ConfigMap`, v: 'v1' }));
const ids = (...names: readonly string[]): Set<string> => new Set(entries(names).map(({ id }) => id));

function metadataOf({ namespace = 'team', uid, app, isGoing = false }: Said): Partial<Kustomization['metadata']> {
  return {
    namespace,
    ...(uid === undefined ? {} : { annotations: { [CLUSTER_UID_ANNOTATION]: uid } }),
    ...(app === undefined ? {} : { labels: { [APPLICATION_UID_LABEL]: app } }),
    ...(isGoing ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
  };
}

function files(name: string, said: Said = {}): Kustomization {
  const { secret, has = [], waits = [], after = [] } = said;
  return {
    ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
    metadata: { name, ...metadataOf(said) },
    spec: {
      ...{ interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name } },
      ...(secret === undefined ? {} : { kubeConfig: { secretRef: { name: secret } } }),
      dependsOn: after.map((each) => ({ name: each })),
    },
    status: { inventory: { entries: entries(has) }, takenByOthers: entries(waits) },
  };
}

function map(name: string, annotations: Readonly<Record<string, string>> = {}): Unstructured {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'team', annotations } };
}

const namesOf = (found: readonly Kustomization[]): string[] => found.map(({ metadata }) => metadata.name);

test('neighbours are in the namespace, and certainly on the same cluster', () => {
  const others = [
    files('same'),
    files('own'),
    files('elsewhere', { namespace: 'other' }),
    files('member', { secret: 'one' }),
  ];
  expect(namesOf(neighboursOf(files('own'), others))).toEqual(['same']);
  const member = files('own', { secret: 'one', uid: 'x' });
  const members = [
    files('two', { secret: 'two', uid: 'x' }),
    files('one', { secret: 'one' }),
    files('three', { secret: 'three', uid: 'y' }),
    files('unclear', { secret: 'four' }),
  ];
  expect(namesOf(neighboursOf(member, members))).toEqual(['one', 'two']);
});

test('what stays for others is what they have or wait for; those that are being deleted keep nothing', () => {
  const others = [
    files('a', { has: ['x'], isGoing: true }),
    files('b', { waits: ['x'] }),
    files('c', { has: ['x', 'y', 'z'] }),
  ];
  expect([...keepersOf(others, ids('x', 'y', 'w'))].sort()).toEqual([
    ['team_x__ConfigMap', 'b'],
    ['team_y__ConfigMap', 'c'],
  ]);
});

interface Case {
  readonly own?: Said;
  readonly other?: Said;
  readonly object?: Unstructured;
}

test.each<[string, Case, boolean]>([
  ['another one has it', {}, true],
  ['another one waits for it', { other: { waits: ['x'] } }, true],
  ['another one that is being deleted has it', { other: { has: ['x'], isGoing: true } }, true],
  ['nobody has it', { other: { has: ['y'] } }, false],
  ['both have it', { own: { has: ['x'] } }, false],
  ['it only waited for it', { own: { waits: ['x'] } }, true],
  ['it is left to the other one', { object: map('x', { 'kustomize.toolkit.fluxcd.io/ssa': 'IfNotPresent' }) }, false],
  ['it is ignored', { object: map('x', { 'kustomize.toolkit.fluxcd.io/reconcile': 'disabled' }) }, false],
  ['both are of one Application', { own: { app: 'u' }, other: { has: ['x'], app: 'u' } }, false],
  ['they are of two Applications', { own: { app: 'u' }, other: { has: ['x'], app: 'v' } }, true],
  ['the other one depends on it', { other: { has: ['x'], after: ['own'] } }, false],
  ['the other one depends on it through a third one', { other: { has: ['x'], after: ['third'] } }, false],
  ['the other one depends on one that is not there', { other: { has: ['x'], after: ['none'] } }, true],
])('an object is contested if %s', (_name, { own = {}, other = { has: ['x'] }, object = map('x') }, isContested) => {
  const third = files('third', { after: ['third', 'own'] });
  const found = contested(files('own', own), {
    objects: [object],
    neighbours: [files('other', other)],
    get: (key) => (key === 'team/third' ? third : undefined),
  });
  expect(found.map(({ holder }) => holder.metadata.name)).toEqual(isContested ? ['other'] : []);
});

test('nobody waits for a Namespace', () => {
  const namespace: Unstructured = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shared' } };
  const other = files('other');
  const holder = { ...other, status: { inventory: { entries: [{ id: '_shared__Namespace', v: 'v1' }] } } };
  const request = { objects: [namespace], neighbours: [holder], get: () => undefined };
  expect(contested(files('own'), request)).toEqual([]);
});

test('the message names five objects at most, who has them, and the ways out', () => {
  const taken = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ object: map(name), holder: files('other') }));
  const message = whyTaken(taken);
  expect(message).toContain('spec.path: ConfigMap/team/a is that of Kustomization other');
  expect(message).toContain('ssa: IfNotPresent');
  expect(message).not.toContain('ConfigMap/team/f');
});

test('what is left is what is not listed any more', () => {
  const [before, now] = [files('a', { has: ['x', 'y'], waits: ['w'] }), files('a', { has: ['y', 'z'] })];
  expect(leftIds(before, now)).toEqual([...ids('x')]);
  expect(leftIds(before, undefined)).toEqual([...ids('x', 'y')]);
  expect(leftIds(undefined, now)).toEqual([]);
  expect(leftIds(before, { ...now, status: before.status })).toEqual([]);
});

test('an object says whose it is by both labels', () => {
  const labelled = (labels?: Record<string, string>) => ownerKeyOf({ metadata: { name: 'x', labels } as never });
  const name = { 'kustomize.toolkit.fluxcd.io/name': 'a' };
  expect(labelled({ ...name, 'kustomize.toolkit.fluxcd.io/namespace': 'team' })).toBe('team/a');
  expect([labelled(name), labelled()]).toEqual([undefined, undefined]);
});

test('one wants what it has and what it waits for', () => {
  const own = files('own', { has: ['x'], waits: ['y'] });
  expect(wantedEntries(own)).toEqual(entries(['x', 'y']));
  expect([wants(own, ids('y')), wants(own, ids('z')), wants({}, ids('x'))]).toEqual([true, false, false]);
});
