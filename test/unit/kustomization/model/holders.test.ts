import { describe, expect, it } from '@jest/globals';
import type { Kustomization } from '#api/flux/kustomization.js';
import { APPLICATION_UID_LABEL, CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import {
  candidatesOf,
  isCommon,
  isHolder,
  nameOf,
  ownerKeyOf,
  releasedIds,
  sharersOf,
  TakenError,
  waitersOf,
  whyTaken,
} from '#controllers/kustomization/model/holders.js';
import { NAME_LABEL, NAMESPACE_LABEL } from '#controllers/kustomization/model/objects.js';
import { kustomization, object } from './builders.js';

interface Facts {
  readonly namespace?: string;
  readonly lists?: readonly string[];
  readonly waits?: readonly string[];
  readonly secret?: string;
  readonly uid?: string;
  readonly application?: string;
  readonly leaving?: boolean;
  readonly suspend?: boolean;
}

const entriesOf = (ids: readonly string[]) => ids.map((id) => ({ id, v: 'v1' }));

function made(name: string, facts: Facts = {}): Kustomization {
  const { namespace = 'team', lists, waits, secret, uid, application, leaving, suspend } = facts;
  const status = {
    ...(lists === undefined ? {} : { inventory: { entries: entriesOf(lists) } }),
    ...(waits === undefined ? {} : { waitingFor: entriesOf(waits) }),
  };
  const spec = { suspend, ...(secret === undefined ? {} : { kubeConfig: { secretRef: { name: secret } } }) };
  const base = kustomization(spec as Partial<Kustomization['spec']>, status);
  const metadata = {
    ...base.metadata,
    ...{ name, namespace },
    labels: application === undefined ? {} : { [APPLICATION_UID_LABEL]: application },
    annotations: uid === undefined ? {} : { [CLUSTER_UID_ANNOTATION]: uid },
    ...(leaving === true ? { deletionTimestamp: 'now' } : {}),
  };
  return { ...base, metadata };
}

const OWN = made('site', { application: 'app' });
const IDS: ReadonlySet<string> = new Set(['x']);

describe('a live object that is labelled as that of another Kustomization', () => {
  it.each<[string, Facts, boolean]>([
    ['stays with one that lists it', { lists: ['x'] }, true],
    ['stays with one of another namespace', { lists: ['x'], namespace: 'other' }, true],
    ['stays with one that is suspended', { lists: ['x'], suspend: true }, true],
    ['stays with one that is being deleted', { lists: ['x'], leaving: true }, true],
    ['stays with one that has no inventory, as after a restore', {}, true],
    ['stays with one of a cluster that may be the same', { lists: ['x'], secret: 'm' }, true],
    ['stays with one of another Application', { lists: ['x'], application: 'other' }, true],
    ['is taken from one that let it go', { lists: ['y'] }, false],
    ['is taken from another child of the same Application', { lists: ['x'], application: 'app' }, false],
  ])('%s', (_name, facts, expected) => {
    expect(isHolder(OWN, made('other', facts), 'x')).toBe(expected);
  });

  it('is taken if the other one is for another cluster', () => {
    const own = made('site', { secret: 'a', uid: 'u' });
    expect(isHolder(own, made('other', { lists: ['x'], secret: 'b', uid: 'v' }), 'x')).toBe(false);
    expect(isHolder(OWN, OWN, 'x')).toBe(false);
  });

  it('names its owner by both labels', () => {
    const labels = { [NAME_LABEL]: 'a', [NAMESPACE_LABEL]: 'team' };
    expect(ownerKeyOf(object('ConfigMap', 'x', { labels }))).toBe('team/a');
    expect(ownerKeyOf(object('ConfigMap', 'x', { labels: { [NAME_LABEL]: 'a' } }))).toBeUndefined();
  });
});

it.each<[string, Facts, string[]]>([
  ['of the same cluster', { lists: ['x', 'y'] }, ['x']],
  ['of the same Application', { lists: ['x'], application: 'app' }, []],
  ['of a cluster that may be the same', { lists: ['x'], secret: 'm' }, ['x']],
])('only objects that another inventory lists are asked about: one %s', (_name, facts, expected) => {
  expect([...candidatesOf(OWN, [OWN, made('other', facts)], IDS)]).toEqual(expected);
});

describe('an object is not pruned', () => {
  it.each<[string, Facts, boolean]>([
    ['that another one lists', { lists: ['x'] }, true],
    ['that another one lists, suspended', { lists: ['x'], suspend: true }, true],
    ['that another child of the Application lists', { lists: ['x'], application: 'app' }, true],
    ['that one lists which is being deleted', { lists: ['x'], leaving: true }, false],
    ['that one lists on what may be another cluster', { lists: ['x'], secret: 'm' }, false],
  ])('%s: %s', (_name, facts, expected) => {
    expect(sharersOf(OWN, [OWN, made('other', facts)], IDS).has('x')).toBe(expected);
  });

  it.each<[string, Facts, boolean]>([
    ['that another one waits for', { waits: ['x'] }, true],
    ['that one waits for which is being deleted', { waits: ['x'], leaving: true }, false],
    ['that one waits for on what may be the same cluster', { waits: ['x'], secret: 'm' }, true],
  ])('%s: %s', (_name, facts, expected) => {
    expect(waitersOf(OWN, [OWN, made('other', facts)], IDS).has('x')).toBe(expected);
  });

  it('and the first of several by name is told', () => {
    const others = [made('b', { lists: ['x'] }), made('a', { lists: ['x'] })];
    expect(sharersOf(OWN, others, IDS).get('x')).toBe('Kustomization a');
    expect(sharersOf(OWN, [...others].reverse(), IDS).get('x')).toBe('Kustomization a');
  });
});

it('tells no name of another namespace', () => {
  expect(nameOf(OWN, made('a'))).toBe('Kustomization a');
  expect(nameOf(OWN, made('a', { namespace: 'b' }))).toBe('another Kustomization in another namespace');
});

it('Namespaces may be in several sources', () => {
  expect(isCommon(object('Namespace', 'a'))).toBe(true);
  expect(isCommon(object('ConfigMap', 'a'))).toBe(false);
});

it('an object is let go when its entry or its Kustomization goes', () => {
  expect(releasedIds(made('a', { lists: ['x', 'y'] }), made('a', { lists: ['y'] }))).toEqual(['x']);
  expect(releasedIds(made('a', { lists: ['x'] }), undefined)).toEqual(['x']);
  expect(releasedIds(made('a'), made('a', { lists: ['x'] }))).toEqual([]);
});

it('says whose the objects are, and the ways out', () => {
  const taken = new TakenError(object('ConfigMap', 'x', { namespace: 'n' }), 'Kustomization a');
  expect(taken.message).toBe(whyTaken([taken]));
  expect(taken.message).toBe(
    'ConfigMap/n/x is that of Kustomization a: remove it from one of the two sources; to take over all objects of the other Kustomization, set spec.suspend: true there, and delete it; to leave an object to it, annotate it here with kustomize.toolkit.fluxcd.io/ssa: IfNotPresent',
  );
});
