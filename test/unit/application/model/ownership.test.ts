import { describe, expect, it } from '@jest/globals';
import type { OwnerReference } from '#api/meta.js';
import { OFFERED_TO_ANNOTATION } from '#api/v1alpha1/labels.js';
import { applicationOwners, isLegacy } from '#api/v1alpha1/ownership.js';
import {
  belongAlike,
  disowned,
  hasHolder,
  heldOnly,
  isAdoptable,
  isApplications,
  isLegacyLeftover,
  isOfOneApplication,
  isOwned,
  ownerNames,
  precedes,
} from '#controllers/application/model/child/metadata.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, files, filesApplication, legacyChild, work } from './builders.js';

const app = application([deploy('prod', 'eu')]);
const [made] = applied([], work(app).steps);
const owner: OwnerReference = made!.metadata.ownerReferences![0]!;

function ownedBy(more: Partial<OwnerReference> | undefined, labels = made!.metadata.labels): Child {
  const ownerReferences = more === undefined ? [] : [{ ...owner, ...more }];
  return { ...made!, metadata: { ...made!.metadata, ownerReferences, ...(labels === undefined ? {} : { labels }) } };
}

/** A child without the owner that would take it along. */
function heldBy(name: string, uid = 'uid-1', ownerReferences: OwnerReference[] = []): Child {
  const labels = { 'gitops.kubesphere.io/application-uid': uid };
  const annotations = { 'gitops.kubesphere.io/held-by': name };
  return { ...made!, metadata: { ...made!.metadata, ownerReferences, labels, annotations } };
}

/** A child of another Application that may be taken over. */
function offeredTo(uid: string): Child {
  const child = ownedBy({ uid: 'x', name: 'other' });
  return { ...child, metadata: { ...child.metadata, annotations: { [OFFERED_TO_ANNOTATION]: uid } } };
}

/** A HelmRelease that a user wrote, and what else is said in its metadata. */
function plain(more: Partial<Child['metadata']> = {}): Child {
  const { name, namespace } = made!.metadata;
  const annotations = { [OFFERED_TO_ANNOTATION]: 'uid-1', ...more.annotations };
  return { ...made!, metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...more, annotations } };
}

/** For the garbage collector only. */
const foreign: Child = {
  ...made!,
  metadata: { name: 'theirs', namespace: 'shop', ownerReferences: [{ ...owner, controller: false }] },
};

describe('a child', () => {
  it.each<[string, Child, boolean, boolean]>([
    ['of this very Application', ownedBy({}), true, true],
    ['of the same Application before a restore', ownedBy({ uid: 'older' }), false, true],
    ['of another Application', ownedBy({ uid: 'x', name: 'other' }), false, false],
    ['of another Application that offers it', offeredTo('uid-1'), false, true],
    ['of another Application that offers it to another one', offeredTo('uid-2'), false, false],
    ['of an Application of another group', ownedBy({ uid: 'x', apiVersion: 'argoproj.io/v1alpha1' }), false, false],
    ['that was orphaned', ownedBy(undefined), false, true],
    ['that somebody made by hand', ownedBy(undefined, {}), false, false],
    ['that somebody made by hand and offers', plain(), false, true],
    ['that is offered to another Application', plain({ annotations: { [OFFERED_TO_ANNOTATION]: 'x' } }), false, false],
    ['that is offered, and has an owner', plain({ ownerReferences: [{ ...owner, kind: 'Fleet' }] }), false, false],
    ['that is offered, and Flux applies', plain({ labels: { 'kustomize.toolkit.fluxcd.io/name': 'a' } }), false, false],
    ['that is offered, and Helm has', plain({ annotations: { 'meta.helm.sh/release-name': 'a' } }), false, false],
    ['that this very Application holds', heldBy('web'), true, true],
    ['that it held before a restore', heldBy('web', 'older'), false, true],
    ['that another Application holds', heldBy('other', 'x'), false, false],
    ['of another one that is held too', heldBy('other', 'x', [{ ...owner, name: 'other', uid: 'x' }]), false, false],
    ['that lost its labels, but not what was applied', ownedBy({}, {}), true, true],
    ['that somebody made by hand and that shall go with the Application', foreign, false, false],
  ])('%s: owned %p, adoptable %p', (_, child, owned, adoptable) => {
    expect([isOwned(child, app), isAdoptable(child, app)]).toEqual([owned, adoptable]);
  });

  it('of ks-devops that was orphaned is known by its label, and only for that Application', () => {
    const child = legacyChild('web7x', 'prod', {});
    const orphan = { ...child, metadata: { ...child.metadata, ownerReferences: [] } };
    const other = { ...app, metadata: { ...app.metadata, name: 'other' } };
    expect(ownerNames(orphan)).toEqual(['web']);
    expect([isOwned(orphan, app), isAdoptable(orphan, app), isAdoptable(orphan, other)]).toEqual([false, true, false]);
  });

  it('is of the Applications that it names, of any version', () => {
    const child = ownedBy({ apiVersion: 'gitops.kubesphere.io/v1' });
    expect(applicationOwners(child).map(({ name }) => name)).toEqual(['web']);
  });

  it('of ks-devops is known by its generated name', () => {
    expect(isLegacy(legacyChild('web7x', 'prod', {}))).toBe(true);
    expect(isLegacy(made!)).toBe(false);
  });
});

describe('a child that is held', () => {
  const held = heldBy('web');

  it('is of its Application as one with an owner is, in another way', () => {
    expect(ownerNames(held)).toEqual(['web']);
    expect([belongAlike(held, made!), isOfOneApplication(held, made!)]).toEqual([false, true]);
    expect([belongAlike(held, heldBy('web')), belongAlike(made!, ownedBy({}))]).toEqual([true, true]);
    expect(isOfOneApplication(heldBy('web', 'older'), made!)).toBe(false);
  });

  it.each([
    ['with an owner', made!],
    ['without', held],
  ])("is nobody's once it is let go, %s", (_, child) => {
    const { ownerReferences } = disowned(child);
    expect(ownerReferences).toEqual([]);
    const free = { ...child, metadata: { ...child.metadata, ownerReferences, annotations: {} } };
    expect([isOwned(free, app), hasHolder(free), isAdoptable(free, app)]).toEqual([false, false, true]);
  });

  it('keeps owners that are no Applications', () => {
    const stranger = { ...owner, kind: 'Fleet', uid: 'x' };
    const child = ownedBy({});
    const two = { ...child, metadata: { ...child.metadata, ownerReferences: [stranger, owner] } };
    expect(disowned(two)).toEqual({
      ownerReferences: [stranger],
      annotations: { 'gitops.kubesphere.io/held-by': null },
    });
  });
});

describe('a child of ks-devops', () => {
  it('is a leftover until an entry has taken it over', () => {
    const child = legacyChild('web7x', 'prod', {});
    const [update] = work(application([deploy('prod', undefined, {})]), [
      legacyChild('web7x', 'prod', { targetNamespace: 'prod' }),
    ]).steps;
    if (update?.op !== 'update') throw new Error('expected an update');
    const adopted = { ...child, metadata: { ...child.metadata, ...update.object.metadata } };
    expect([child, adopted, made!].map(isLegacyLeftover)).toEqual([true, false, false]);
  });
});

describe('a Kustomization', () => {
  const [kustomization] = applied([], work(filesApplication([files('prod', 'eu', { name: 'main' })])).steps);

  it('of a stranger is not ours, whatever its labels are', () => {
    const labels = { 'app.kubernetes.io/managed-by': 'web' };
    const { name } = kustomization!.metadata;
    expect(isApplications({ ...kustomization!, metadata: { name, labels } })).toBe(false);
    expect(isApplications(kustomization!)).toBe(true);
  });
});

describe('of two Applications that want one release', () => {
  const born = (creationTimestamp: string, uid: string) => ({
    ...app,
    metadata: { ...app.metadata, creationTimestamp, uid },
  });
  it.each([
    ['the older one', born('2026-01-01T00:00:00Z', 'b'), born('2026-01-01T00:00:01Z', 'a')],
    [
      'of the same second, the one with the lower UID',
      born('2026-01-01T00:00:00Z', 'a'),
      born('2026-01-01T00:00:00Z', 'b'),
    ],
  ])('%s comes first, and only that one', (_, first, second) => {
    expect([precedes(first, second), precedes(second, first), precedes(first, first)]).toEqual([true, false, false]);
  });
});

describe('a child that its Application shall hold without owning it', () => {
  it('loses this owner alone, and says whose it is', () => {
    const both = { ...made!, metadata: { ...made!.metadata, ownerReferences: [owner, { ...owner, uid: 'uid-9' }] } };
    const tie = heldOnly(both, app);
    expect(tie).toEqual({
      ownerReferences: [{ ...owner, uid: 'uid-9' }],
      annotations: { 'gitops.kubesphere.io/held-by': app.metadata.name },
      labels: { 'gitops.kubesphere.io/application-uid': app.metadata.uid },
    });
    expect(isOwned({ ...made!, metadata: { ...made!.metadata, ...tie } }, app)).toBe(true);
  });

  it('is left unchanged without such an owner', () => {
    expect(heldOnly(heldBy(app.metadata.name), app)).toBeUndefined();
    expect(heldOnly(ownedBy({ uid: 'uid-9' }), app)).toBeUndefined();
  });
});
