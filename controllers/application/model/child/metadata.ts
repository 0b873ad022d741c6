import { OBJECTS_MISSING } from '#api/flux/conditions.js';
import type { Condition, KubeObject } from '#api/meta.js';
import {
  APPLICATION_UID_LABEL,
  APPLIED_DIGEST_ANNOTATION,
  HOLDER_ANNOTATION,
  INSTALLED_ONCE_ANNOTATION,
  MANAGED_BY_LABEL,
  MODE_ANNOTATION,
  OFFERED_TO_ANNOTATION,
  PRUNE_LEGACY_ANNOTATION,
  SUSPENDED_FOR_REMOVAL_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import { applicationOwners, isLegacy } from '#api/v1alpha1/ownership.js';
import { getCondition } from '#lib/kube/conditions.js';
import { appliedBy } from './appliers.js';
import type { Child, DesiredChild, Entry } from './types.js';

/**
 * The Application that holds a child without being its owner: what the API server sees no owner of it never collects,
 * however the Application goes.
 */
function holderOf({ metadata }: KubeObject): { readonly name: string; readonly uid: string | undefined } | undefined {
  const name = metadata.annotations?.[HOLDER_ANNOTATION];
  return name === undefined ? undefined : { name, uid: metadata.labels?.[APPLICATION_UID_LABEL] };
}

/** True when both are children of one Application in the same way: with it as their owner, or only held by it. */
export function belongAlike(child: KubeObject, other: KubeObject): boolean {
  const ties = [child, other].map((each) => {
    const owners = applicationOwners(each).map(({ uid, controller }) => [uid, controller === true]);
    return JSON.stringify([owners, holderOf(each)]);
  });
  return ties[0] === ties[1];
}

/** True when `child` is already tied to the Application that `desired` is for, in whatever way. */
export function isOfOneApplication(child: KubeObject, desired: KubeObject): boolean {
  const [uid, wanted] = [child, desired].map(({ metadata }) => metadata.labels?.[APPLICATION_UID_LABEL]);
  return hasHolder(child) && uid === wanted;
}

/**
 * The metadata that a child gets when it is let go, by the Application of a UID or by all: nobody's then, known by its
 * labels to whoever may want it later.
 */
export function disowned(child: KubeObject, uid?: string) {
  const own = applicationOwners(child).filter((owner) => uid === undefined || owner.uid === uid);
  const ownerReferences = (child.metadata.ownerReferences ?? []).filter((owner) => !own.includes(owner));
  return { ownerReferences, annotations: { [HOLDER_ANNOTATION]: null } };
}

/**
 * The metadata that ties a child to its Application without an owner reference; undefined when it has none to it.
 */
export function heldOnly(child: KubeObject, { metadata: { name, uid = '' } }: KubeObject) {
  const { ownerReferences = [] } = child.metadata;
  const own = applicationOwners(child).filter((owner) => owner.uid === uid);
  if (own.length === 0) return undefined;
  return {
    ownerReferences: ownerReferences.filter((owner) => !own.includes(owner)),
    annotations: { [HOLDER_ANNOTATION]: name },
    labels: { [APPLICATION_UID_LABEL]: uid },
  };
}

/** True for a child that some Application owns or holds. */
export function hasHolder(child: KubeObject): boolean {
  return applicationOwners(child).length > 0 || holderOf(child) !== undefined;
}

/** The name of the Application that an orphan of ks-devops had: its label is all that is left of it. */
function legacyOwnerName(object: KubeObject): string | undefined {
  return isLegacy(object) ? object.metadata.labels?.[MANAGED_BY_LABEL] : undefined;
}

/** Made by ks-devops, and not taken over by an entry since. */
export function isLegacyLeftover(child: KubeObject): boolean {
  return isLegacy(child) && child.metadata.annotations?.[APPLIED_DIGEST_ANNOTATION] === undefined;
}

/** True for what an Application's controller made, ours or that of ks-devops: an owner reference anybody may write. */
function isMade({ metadata, ...rest }: KubeObject): boolean {
  if (metadata.labels?.[APPLICATION_UID_LABEL] !== undefined) return true;
  if (metadata.annotations?.[APPLIED_DIGEST_ANNOTATION] !== undefined) return true;
  return legacyOwnerName({ metadata, ...rest }) !== undefined;
}

/** True when `child` is this very Application's: it may be deleted when no entry wants it. */
export function isOwned(child: KubeObject, application: KubeObject): boolean {
  const { uid } = application.metadata;
  if (holderOf(child)?.uid === uid) return true;
  return isMade(child) && applicationOwners(child).some((owner) => owner.uid === uid);
}

/** Names of the Applications that a child belongs to or belonged to; none when other objects own it. */
export function ownerNames(object: KubeObject): string[] {
  const owners = applicationOwners(object).map(({ name }) => name);
  if (owners.length > 0) return owners;
  const hasOtherOwners = (object.metadata.ownerReferences ?? []).length > 0;
  const name = holderOf(object)?.name ?? (hasOtherOwners ? undefined : legacyOwnerName(object));
  return name === undefined ? [] : [name];
}

/** True for a child that nobody has. */
function isOrphan(child: KubeObject): boolean {
  return (child.metadata.ownerReferences ?? []).length === 0 && !hasHolder(child);
}

/** True for a child that an Application left behind. One of ks-devops never was: it has no owner from the start. */
export function isLeftBehind(child: KubeObject): boolean {
  return isOrphan(child) && !isLegacyLeftover(child) && child.metadata.labels?.[APPLICATION_UID_LABEL] !== undefined;
}

/** UID of the Application that may take a child over. */
export function offeredTo({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[OFFERED_TO_ANNOTATION];
}

/** Merge patch that offers a child to the Application of a UID; undefined: to nobody any more. */
export function offering(uid: string | undefined) {
  return { metadata: { annotations: { [OFFERED_TO_ANNOTATION]: uid ?? null } } };
}

/** True for a HelmRelease or Kustomization that somebody wrote for an engine of Flux, and that no Application has or had. */
export function isPlain(child: KubeObject): boolean {
  return !isMade(child) && !hasHolder(child);
}

/**
 * True for a child of another Application, and for a plain object that its user offered, that may be taken over as it
 * is. What another tool applies would be changed back, or pruned: it is nobody's to offer.
 */
export function isOffered(child: KubeObject, application: KubeObject): boolean {
  const uid = offeredTo(child);
  if (uid === undefined || uid !== application.metadata.uid || isOwned(child, application)) return false;
  return isMade(child) || (isOrphan(child) && appliedBy(child) === undefined);
}

/**
 * True when an entry may take `child` over: it belonged to an Application of this name that was restored with a new
 * UID, was orphaned by one, or is offered by one. Such a child is never deleted for want of an entry.
 */
export function isAdoptable(child: KubeObject, application: KubeObject): boolean {
  if (isOffered(child, application)) return true;
  if (isMade(child) && ownerNames(child).includes(application.metadata.name)) return true;
  return isOrphan(child) && child.metadata.labels?.[APPLICATION_UID_LABEL] !== undefined;
}

/** True when `one` has the first claim to a release that nobody holds: the older one, ties by UID. */
export function precedes(one: KubeObject, other: KubeObject): boolean {
  const rank = ({ metadata }: KubeObject): string => `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`;
  return rank(one) < rank(other);
}

/** True for a child that some Application has or had. */
export function isApplications(child: KubeObject): boolean {
  return ownerNames(child).length > 0 || child.metadata.labels?.[APPLICATION_UID_LABEL] !== undefined;
}

/** True if the user requested the deletion of children of ks-devops that no entry adopted. */
export function legacyMayGo({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[PRUNE_LEGACY_ANNOTATION] === 'true';
}

/** The digest of what was applied last, or is to be applied. */
export function digestIn(child: Child | undefined): string | undefined {
  return child?.metadata.annotations?.[APPLIED_DIGEST_ANNOTATION];
}

/** True for a child that was written as it is desired. */
export function isAt(live: Child | undefined, desired: DesiredChild | undefined): boolean {
  return live !== undefined && desired?.held === undefined && digestIn(live) === digestIn(desired?.object);
}

/** True if the engine reports success of the current generation. Never throws. */
export function isReady(child: Child | undefined): boolean {
  const observed = child?.status?.observedGeneration ?? -1;
  return currentCondition(child, 'Ready')?.status === 'True' && observed >= (child?.metadata.generation ?? 0);
}

/** True if the engine deployed the current generation, even if somebody deleted objects of it since. Never throws. */
export function isDeployed(child: Child | undefined): boolean {
  return isReady(child) || currentCondition(child, 'Ready')?.reason === OBJECTS_MISSING;
}

/** The condition of the child, unless it was written about an older generation. Never throws. */
export function currentCondition(child: Child | undefined, type: string): Condition | undefined {
  const condition = getCondition(child?.status?.conditions ?? [], type);
  const generation = child?.metadata.generation ?? 0;
  return (condition?.observedGeneration ?? generation) < generation ? undefined : condition;
}

/** The chart version of the deployed release, or the revision of the applied files. A backup has no status. */
export function revisionOf(child: Child | undefined): string | undefined {
  const { history = [], lastAppliedRevision } = child?.status ?? {};
  const deployed = history.find(({ status = 'deployed' }) => status === 'deployed');
  const recorded = child?.metadata.annotations?.[INSTALLED_ONCE_ANNOTATION];
  return deployed?.chartVersion ?? lastAppliedRevision ?? (recorded === '' ? undefined : recorded);
}

/** Merge patch that suspends a child before it is deleted; see the rule `release-is-shared`. */
export const SUSPENSION = {
  metadata: { annotations: { [SUSPENDED_FOR_REMOVAL_ANNOTATION]: 'true' } },
  spec: { suspend: true },
} as const;

/** True for a child that we suspended, rather than its user. */
export function isSuspendedForRemoval({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[SUSPENDED_FOR_REMOVAL_ANNOTATION] !== undefined;
}

/** True for a child whose entry has, or had, the mode Once. */
export function isOnce({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[MODE_ANNOTATION] === 'Once';
}

/** True for a child that was installed once, and suspended by us since. */
export function isUnmanaged({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[INSTALLED_ONCE_ANNOTATION] !== undefined;
}

/**
 * Merge patch that removes our suspension from a child that an entry wants again, or wants to be managed again;
 * undefined if there is none. A child that the entry itself suspends stays suspended.
 */
export function resumption(child: KubeObject, desired: Child) {
  const outdated = [
    ...(isSuspendedForRemoval(child) ? [SUSPENDED_FOR_REMOVAL_ANNOTATION] : []),
    ...(isUnmanaged(child) && !isOnce(desired) ? [INSTALLED_ONCE_ANNOTATION] : []),
  ];
  if (outdated.length === 0) return undefined;
  const metadata = { annotations: Object.fromEntries(outdated.map((name) => [name, null])) };
  // The `suspend` of the entry was written before.
  return desired.spec.suspend === undefined ? { metadata, spec: { suspend: null } } : { metadata };
}

/** True for an unmanaged child that no engine changes. */
export function isLeftAlone(child: Child | undefined): boolean {
  return child?.spec.suspend === true && isUnmanaged(child) && !isSuspendedForRemoval(child);
}

/** True for a child that was installed by an entry with the mode Once. */
export function isInstalledOnce(live: Child): boolean {
  return isUnmanaged(live) || (isOnce(live) && isDeployed(live));
}

/**
 * True if an entry has the mode Once for its child. What was installed once by an override stays so when the override is
 * not for its cluster any more: a label that flaps must not have it managed, and in the end uninstalled.
 */
export function isOnceFor({ mode, mayBeOnce }: Entry, live: Child | undefined): boolean {
  return mode === 'Once' || (mayBeOnce && live !== undefined && isInstalledOnce(live));
}

/** The same if its child has been installed: its spec does not change any more. */
export function isInstalledFor(entry: Entry, live: Child | undefined): live is Child {
  return live !== undefined && isOnceFor(entry, live) && (isUnmanaged(live) || isDeployed(live));
}

/** The installed revision; kept where a backup has no status. */
export function recordOf(live: Child): Record<string, string> {
  return { [INSTALLED_ONCE_ANNOTATION]: revisionOf(live) ?? '' };
}

/** Merge patch that suspends an installed child for good. */
export function unmanagement(live: Child) {
  const wanted = isSuspendedForRemoval(live) ? { [SUSPENDED_FOR_REMOVAL_ANNOTATION]: null } : {};
  return { metadata: { annotations: { ...recordOf(live), ...wanted } }, spec: { suspend: true } };
}

/**
 * The same, and only held by its Application: after a restore, the API server would collect the record with its owner,
 * and it would be installed again over what its users changed.
 */
export function handOver(live: Child) {
  const { metadata, spec } = unmanagement(live);
  const [owner] = applicationOwners(live);
  const tie = owner && heldOnly(live, { ...live, metadata: owner });
  return { metadata: { ...metadata, ...tie, annotations: { ...metadata.annotations, ...tie?.annotations } }, spec };
}

/** True for what was installed once if no owner reference leads to its Application: none is to be written either. */
export function isHandedOver(live: Child | undefined, application: KubeObject): boolean {
  return live !== undefined && isUnmanaged(live) && heldOnly(live, application) === undefined;
}

/** Merge patch that suspends a child before it is deleted. If it is needed again, it is known what was installed. */
export function suspensionOf(live: Child) {
  const record = isInstalledOnce(live) ? recordOf(live) : {};
  return { ...SUSPENSION, metadata: { annotations: { ...SUSPENSION.metadata.annotations, ...record } } };
}
