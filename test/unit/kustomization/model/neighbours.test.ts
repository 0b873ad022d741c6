import { expect, test } from '@jest/globals';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { APPLICATION_UID_LABEL, CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import {
  claims,
  containerOf,
  holderOf,
  isConcerned,
  keepersOf,
  laterThan,
  leftIds,
  neighboursOf,
  ownerKeyOf,
  TakenError,
  whyTaken,
} from '#controllers/kustomization/model/neighbours.js';
import { NAME_LABEL, NAMESPACE_LABEL } from '#controllers/kustomization/model/objects.js';

interface Said {
  readonly namespace?: string;
  readonly secret?: string;
  readonly uid?: string;
  readonly app?: string;
  readonly has?: readonly string[];
  readonly waits?: readonly string[];
  readonly after?: readonly string[];
  readonly isGoing?: boolean;
  readonly isSuspended?: boolean;
  /** Name of the Kustomization that applied it. */
  readonly of?: string;
  readonly isSilent?: boolean;
  /** Reason of its only end; it has applied no revision as a whole. */
  readonly ended?: string;
}

const entries = (names: readonly string[]) => names.map((name) => ({ id: `team_${name}__ConfigMap`, v: 'v1' }));
const ids = (...names: readonly string[]): Set<string> => new Set(entries(names).map(({ id }) => id));

const marks = (name: string) => ({ [NAME_LABEL]: name, [NAMESPACE_LABEL]: 'team' });

function metadataOf({ namespace = 'team', uid, app, of, isGoing = false }: Said): Partial<Kustomization['metadata']> {
  return {
    namespace,
    ...(of === undefined ? {} : { labels: marks(of) }),
    ...(uid === undefined ? {} : { annotations: { [CLUSTER_UID_ANNOTATION]: uid } }),
    ...(app === undefined ? {} : { labels: { [APPLICATION_UID_LABEL]: app } }),
    ...(isGoing ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
  };
}

function statusOf({ has = [], waits = [], ended, isSilent = false }: Said): Pick<Kustomization, 'status'> {
  if (isSilent) return {};
  const listed = { inventory: { entries: entries(has) }, claims: entries(waits) };
  if (ended === undefined) return { status: { ...listed, lastAppliedRevision: 'r' } };
  const times = { firstReconciled: '', lastReconciled: '', lastReconciledDuration: '', totalReconciliations: 1 };
  return { status: { ...listed, history: [{ ...times, digest: 'd', lastReconciledStatus: ended }] } };
}

function files(name: string, said: Said = {}): Kustomization {
  const { secret, after = [], isSuspended = false } = said;
  return {
    ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
    metadata: { name, ...metadataOf(said) },
    spec: {
      ...{ interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name } },
      ...(secret === undefined ? {} : { kubeConfig: { secretRef: { name: secret } } }),
      dependsOn: after.map((each) => ({ name: each })),
      suspend: isSuspended,
    },
    ...statusOf(said),
  };
}

function map(name: string): Unstructured {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'team' } };
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
  expect(namesOf(neighboursOf(member, members))).toEqual(['two', 'one']);
});

test('what stays for others is what they have or wait for; those that are being deleted keep nothing', () => {
  const others = [
    files('a', { has: ['x'], isGoing: true }),
    files('b', { has: ['x', 'v'], isSuspended: true }),
    files('c', { waits: ['x'] }),
    files('d', { has: ['x', 'y', 'z'] }),
    files('e'.repeat(64), { has: ['w'] }),
  ];
  const { sharers, claimants, inside } = keepersOf(others, ids('v', 'w', 'x', 'y'));
  expect([...sharers].sort()).toEqual([
    ['team_v__ConfigMap', 'b'],
    ['team_x__ConfigMap', 'd'],
    ['team_y__ConfigMap', 'd'],
  ]);
  expect([...claimants]).toEqual([['team_x__ConfigMap', 'c']]);
  expect(['team_', '__ConfigMap', 'other_', '__Secret', '_'].map(inside)).toEqual([
    ...['d', 'd'],
    ...[undefined, undefined, undefined],
  ]);
});

test('a Namespace contains what is in it, and a CRD what is of its kind', () => {
  expect(containerOf({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } })).toBe('team_');
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'x' } };
  expect(containerOf({ ...crd, spec: { group: 'g.io', names: { kind: 'K' } } })).toBe('_g.io_K');
  expect([containerOf(crd), containerOf(map('x'))]).toEqual([undefined, undefined]);
  const claiming = (...found: readonly string[]): Kustomization[] => [
    { ...files('a'), status: { claims: found.map((id) => ({ id, v: 'v1' })) } },
  ];
  const several = claiming('team_a__b_rbac.authorization.k8s.io_Role', 'other_a_g.io_K', '_team_g.io_Wide', 'x');
  const { inside } = keepersOf(several, ids());
  const all = ['team_', '_rbac.authorization.k8s.io_Role', 'other_', '_g.io_K', '_g.io_Wide'];
  expect(all.map(inside)).toEqual(['a', 'a', 'a', 'a', 'a']);
  expect(['a_', 'b_', '_team', '__K', '_o_K', 'teams_'].map(inside)).toEqual(Array(6).fill(undefined));
});

test('claims are looked up once, and read for Namespaces and CRDs once more, whatever is let go', () => {
  let reads = 0;
  const claim = (id: string) => ({
    get id() {
      reads += 1;
      return id;
    },
    v: 'v1',
  });
  const many = Array.from({ length: 1_000 }, (_each, index) => claim(`team_c${index}__ConfigMap`));
  const waiting = { ...files('w'), status: { claims: many } };
  keepersOf([waiting], ids('x'));
  expect(reads).toBe(1_000);
  const { inside } = keepersOf([waiting], ids('x'));
  reads = 0;
  expect(['team_', '__ConfigMap', 'other_'].map(inside)).toEqual(['w', 'w', undefined]);
  expect(keepersOf([waiting], ids()).inside('team_')).toBe('w');
  expect(reads).toBe(2_000);
});

interface Case {
  readonly own?: Said;
  readonly other?: Said;
  readonly owner?: string;
}

function live(owner: string | undefined, kind = 'ConfigMap'): Unstructured {
  const labels = owner === undefined ? {} : marks(owner);
  return { apiVersion: 'v1', kind, metadata: { name: 'x', namespace: 'team', labels } };
}

test.each<[string, Case, boolean]>([
  ['that has it', {}, true],
  ['that is being deleted and has it', { other: { has: ['x'], isGoing: true } }, true],
  ['that is suspended and has it', { other: { has: ['x'], isSuspended: true } }, true],
  ['that has reported nothing, as after a restore', { other: { isSilent: true } }, true],
  ['that failed since a restore', { other: { ended: 'ReconciliationFailed' } }, true],
  ['that failed since a restore, and lists some', { other: { has: ['y'], ended: 'ReconciliationFailed' } }, true],
  ['that waits since a restore', { other: { waits: ['y'], ended: 'TargetTaken' } }, true],
  ['that applied other things since a restore', { other: { ended: 'ReconciliationSucceeded' } }, false],
  ['that applied other things which are not healthy', { other: { has: ['y'], ended: 'HealthCheckFailed' } }, false],
  ['that applied other things, and could not prune', { other: { ended: 'PruneFailed' } }, false],
  ['that does not list it', { other: { has: ['y'] } }, false],
  ['that waits for it', { other: { waits: ['x'] } }, false],
  ['that does not exist', { owner: 'gone' }, false],
  ['that is itself', { owner: 'own' }, false],
  ['that no label names', { owner: '' }, false],
  ['that is on another cluster', { other: { has: ['x'], secret: 'member' } }, false],
  ['of the same Application', { own: { app: 'u' }, other: { has: ['x'], app: 'u' } }, false],
  ['of another Application', { own: { app: 'u' }, other: { has: ['x'], app: 'v' } }, true],
  ['that depends on this one', { other: { has: ['x'], after: ['own'] } }, false],
  ['that depends on this one through a third one', { other: { has: ['x'], after: ['third'] } }, false],
  ['that depends on one that is not there', { other: { has: ['x'], after: ['none'] } }, true],
  ['that this one applied', { other: { has: ['x'], of: 'own' } }, false],
  ['that one applied which this one applied', { other: { has: ['x'], of: 'middle' } }, false],
  ['that others applied', { other: { has: ['x'], of: 'other' } }, true],
])('an object is kept by the one %s', (_name, { own = {}, other = { has: ['x'] }, owner = 'other' }, isKept) => {
  const all = [
    files('own', own),
    files('other', other),
    files('third', { after: ['third', 'own'] }),
    files('middle', { of: 'own' }),
  ];
  const key = ({ metadata }: Kustomization) => `team/${metadata.name}`;
  const known = {
    get: (wanted: string) => all.find((each) => key(each) === wanted),
    later: () =>
      laterThan(files('own', own), (wanted) =>
        all.filter(({ spec }) => spec.dependsOn?.some(({ name }) => `team/${name}` === wanted)),
      ),
  };
  const object = { live: live(owner === '' ? undefined : owner), id: 'team_x__ConfigMap' };
  expect(holderOf(files('own', own), object, known)).toBe(isKept ? 'other' : undefined);
  expect(holderOf(files('own', own), { ...object, live: live('other', 'Namespace') }, known)).toBeUndefined();
});

test('each that depends on one is asked once', () => {
  const names = Array.from({ length: 500 }, (_each, index) => `n${index}`);
  const all = names.map((name) => files(name, { after: names }));
  const asked: string[] = [];
  const found = laterThan(files('own'), (key) => {
    asked.push(key);
    return all;
  });
  expect([found.size, asked.length]).toEqual([501, 501]);
});

test('the message names five objects at most, who has them, and the ways out', () => {
  const taken = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => new TakenError(map(name), 'other'));
  const message = whyTaken(taken);
  expect(message).toContain('ConfigMap/team/a is that of Kustomization other');
  expect(message).toContain('ssa: IfNotPresent');
  expect(message).not.toContain('ConfigMap/team/f');
  expect(taken[0]).toMatchObject({ reason: 'TargetTaken', message: expect.stringContaining('ConfigMap/team/a') });
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

test('a change concerns those that have or claim what it leaves', () => {
  const other = files('other', { has: ['x'], waits: ['y'] });
  expect([isConcerned(other, ids('x')), isConcerned(other, ids('y')), isConcerned(other, ids('z'))]).toEqual([
    true,
    true,
    false,
  ]);
  expect([claims(other, ids('x')), claims(other, ids('y')), claims({}, ids('x'))]).toEqual([false, true, false]);
});
