import { describe, expect, it } from '@jest/globals';
import type { Kustomization, KustomizationStatus } from '#api/flux/kustomization.js';
import { CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import {
  changedIds,
  isCommon,
  isHolder,
  keptIds,
  mentions,
  ownerKeyOf,
  releasedIds,
  sharersOf,
  TakenError,
  waitersOf,
  whyTaken,
} from '#controllers/kustomization/model/holders.js';
import { NAME_LABEL, NAMESPACE_LABEL } from '#controllers/kustomization/model/objects.js';
import { kustomization, object } from './builders.js';

type NotOwned = NonNullable<KustomizationStatus['notOwned']>[number];

interface Facts {
  readonly namespace?: string;
  readonly lists?: readonly string[];
  readonly not?: readonly NotOwned[];
  readonly secret?: string;
  readonly uid?: string;
  readonly terminating?: boolean;
  readonly suspend?: boolean;
}

function made(name: string, facts: Facts = {}): Kustomization {
  const { namespace = 'team', lists, not, secret, uid, terminating, suspend } = facts;
  const status = {
    ...(lists === undefined ? {} : { inventory: { entries: lists.map((id) => ({ id, v: 'v1' })) } }),
    ...(not === undefined ? {} : { notOwned: [...not] }),
  };
  const spec = { suspend, ...(secret === undefined ? {} : { kubeConfig: { secretRef: { name: secret } } }) };
  const base = kustomization(spec as Partial<Kustomization['spec']>, status);
  const metadata = {
    ...base.metadata,
    ...{ name, namespace },
    annotations: uid === undefined ? {} : { [CLUSTER_UID_ANNOTATION]: uid },
    ...(terminating === true ? { deletionTimestamp: 'now' } : {}),
  };
  return { ...base, metadata };
}

const OWN = made('site');
const IDS: ReadonlySet<string> = new Set(['x']);
const WAITS: NotOwned = { id: 'x', state: 'Waiting', holder: 'site' };
const LEAVES: NotOwned = { id: 'x', state: 'Leaving' };
const SKIPS: NotOwned = { id: 'x', state: 'Skipped' };

describe('a live object that is labelled as that of another Kustomization', () => {
  it.each<[string, Facts, boolean]>([
    ['stays with one that lists it', { lists: ['x'] }, true],
    ['stays with one that is suspended', { lists: ['x'], suspend: true }, true],
    ['stays with one of a cluster that may be the same', { lists: ['x'], secret: 'm' }, true],
    ['is taken from one of another namespace', { lists: ['x'], namespace: 'other' }, false],
    ['is taken from one that is being deleted', { lists: ['x'], terminating: true }, false],
    ['is taken from one that has no inventory', {}, false],
    ['is taken from one that let it go', { lists: ['y'] }, false],
    ['is taken from one that leaves it', { lists: ['x'], not: [LEAVES] }, false],
    ['is taken from one that skips it', { lists: ['x'], not: [SKIPS] }, false],
    ['is taken from one that waits for it', { not: [WAITS] }, false],
  ])('%s', (_name, facts, expected) => {
    expect(isHolder(OWN, made('other', facts), 'x')).toBe(expected);
  });

  it('is taken if the other one is for another cluster', () => {
    const own = made('site', { secret: 'a', uid: 'u' });
    expect(isHolder(own, made('other', { lists: ['x'], secret: 'b', uid: 'v' }), 'x')).toBe(false);
    expect(isHolder(OWN, made('site', { lists: ['x'] }), 'x')).toBe(false);
  });

  it('names its owner by both labels', () => {
    const labels = { [NAME_LABEL]: 'a', [NAMESPACE_LABEL]: 'team' };
    expect(ownerKeyOf(object('ConfigMap', 'x', { labels }))).toBe('team/a');
    expect(ownerKeyOf(object('ConfigMap', 'x', { labels: { [NAME_LABEL]: 'a' } }))).toBeUndefined();
  });
});

describe('an object is not pruned', () => {
  it.each<[string, Facts, boolean]>([
    ['that another one lists', { lists: ['x'] }, true],
    ['that another one lists, suspended', { lists: ['x'], suspend: true }, true],
    ['that one of another namespace lists', { lists: ['x'], namespace: 'other' }, false],
    ['that one lists which is being deleted', { lists: ['x'], terminating: true }, false],
    ['that one lists on what may be another cluster', { lists: ['x'], secret: 'm' }, false],
    ['that another one leaves, too', { lists: ['x'], not: [LEAVES] }, false],
    ['that another one skips', { lists: ['x'], not: [SKIPS] }, false],
  ])('%s: %s', (_name, facts, expected) => {
    expect(sharersOf(OWN, [OWN, made('other', facts)], IDS).has('x')).toBe(expected);
  });

  it.each<[string, Facts, boolean]>([
    ['that another one waits for', { not: [WAITS] }, true],
    ['that one of another namespace waits for', { not: [WAITS], namespace: 'other' }, false],
    ['that one waits for which is being deleted', { not: [WAITS], terminating: true }, false],
    ['that one waits for on what may be the same cluster', { not: [WAITS], secret: 'm' }, true],
  ])('%s: %s', (_name, facts, expected) => {
    expect(waitersOf(OWN, [OWN, made('other', facts)], IDS).has('x')).toBe(expected);
  });

  it('and the first of several by name is told', () => {
    const others = [made('b', { lists: ['x'] }), made('a', { lists: ['x'] })];
    expect(sharersOf(OWN, others, IDS).get('x')).toBe('a');
    expect(sharersOf(OWN, [...others].reverse(), IDS).get('x')).toBe('a');
  });
});

it('Namespaces may be in several sources', () => {
  expect(isCommon(object('Namespace', 'a'))).toBe(true);
  expect(isCommon(object('ConfigMap', 'a'))).toBe(false);
});

it('without a status there is nothing', () => {
  expect([...keptIds({ status: undefined })]).toEqual([]);
});

it('a status names what it lists, and what it does not own', () => {
  expect(mentions(made('a', { lists: ['x'], not: [LEAVES] }), IDS)).toBe(true);
  expect(mentions(made('a', { not: [WAITS] }), IDS)).toBe(true);
  expect(mentions(made('a', { lists: ['y'] }), IDS)).toBe(false);
});

it('what one has or waits for changes with its entries', () => {
  const both = made('a', { lists: ['x', 'y'] });
  expect(changedIds(both, made('a', { lists: ['y'] }))).toEqual(['x']);
  expect(changedIds(both, made('a', { lists: ['x', 'y'], not: [LEAVES] }))).toEqual(['x']);
  expect(changedIds(undefined, made('a', { not: [WAITS] }))).toEqual(['x']);
  expect(changedIds(made('a', { not: [WAITS] }), made('a', { lists: ['x'] }))).toEqual([]);
  expect(changedIds(both, undefined)).toEqual(['x', 'y']);
  const ready = { type: 'Ready', status: 'True', reason: 'r', message: '', lastTransitionTime: '' } as const;
  const applied = { ...both, status: { ...both.status, conditions: [ready] } };
  expect(changedIds(both, applied)).toEqual(['x', 'y']);
  expect(changedIds(applied, applied)).toEqual([]);
});

it.each<[string, Kustomization | undefined, string[]]>([
  ['whose entry goes', made('a', { lists: ['y'] }), ['x']],
  ['that it leaves', made('a', { lists: ['x', 'y'], not: [LEAVES] }), ['x']],
  ['if it is being deleted', made('a', { lists: ['x', 'y'], terminating: true }), ['x', 'y']],
  ['if it is gone', undefined, ['x', 'y']],
  ['but not if it gets more', made('a', { lists: ['x', 'y', 'z'] }), []],
])('a Kustomization lets an object go %s', (_name, now, expected) => {
  expect([...releasedIds(made('a', { lists: ['x', 'y'] }), now)]).toEqual(expected);
});

it('says whose the objects are, and the ways out', () => {
  const taken = new TakenError(object('ConfigMap', 'x', { namespace: 'n' }), 'a');
  expect(taken.message).toBe(whyTaken([taken]));
  expect(taken.message).toBe(
    'the files in spec.path: ConfigMap/n/x is that of Kustomization a: remove it from the files of one of the two; to take over all objects of the other Kustomization, set spec.suspend: true there, and delete it; to leave an object to it, annotate it here with kustomize.toolkit.fluxcd.io/ssa: IfNotPresent',
  );
});
