import sortBy from 'lodash/sortBy.js';
import { currentTarget, desiredTarget, type ReleaseTarget } from '#engine/flux/model/release-target.js';
import { keyOf } from '#lib/kube/keys.js';
import type { HelmRelease } from './types.js';

/** What a release applies on its cluster, wherever its record is: Helm marks objects with its name and namespace. */
export function targetText({ namespace, releaseName }: Pick<ReleaseTarget, 'namespace' | 'releaseName'>): string {
  return keyOf({ namespace, name: releaseName });
}

/** The target in the spec of a HelmRelease. */
export function wantedTarget(release: HelmRelease): string {
  return targetText(desiredTarget(release));
}

/** The target that a HelmRelease has a release at; undefined: none. */
function heldTarget(release: HelmRelease): string | undefined {
  const target = currentTarget(release);
  if (target === undefined || release.status?.history?.[0]?.status === 'uninstalled') return undefined;
  return targetText(target);
}

/** Index values of a HelmRelease: its targets by its spec and by its status. */
export function targetsOf(release: HelmRelease): string[] {
  return [...new Set([wantedTarget(release), heldTarget(release) ?? wantedTarget(release)])];
}

/** True for one that is where its spec wants it: it is never told to wait. */
export function isAtTarget(release: HelmRelease): boolean {
  return heldTarget(release) === wantedTarget(release);
}

function age({ metadata }: HelmRelease): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`;
}

/** True if the other one keeps `release` from its target, on whatever cluster: by a release, or as the older one. */
function holds(other: HelmRelease, release: HelmRelease): boolean {
  const target = wantedTarget(release);
  if (heldTarget(other) === target) return true;
  // Users can write any target into objects of their own namespace: without a release, that is a wish.
  if (other.metadata.namespace !== release.metadata.namespace) return false;
  const isWaiting = other.spec.suspend === true || other.metadata.deletionTimestamp !== undefined;
  return !isWaiting && wantedTarget(other) === target && age(other) < age(release);
}

/**
 * The others that keep a HelmRelease from its target if they are on its cluster, those with a release first. Two with
 * one record are none: `claimRelease` says whose that is.
 */
export function holdersOf(release: HelmRelease, others: readonly HelmRelease[]): HelmRelease[] {
  const { storageNamespace } = desiredTarget(release);
  const found = others.filter((other) => {
    if (keyOf(other.metadata) === keyOf(release.metadata)) return false;
    const record = heldTarget(other) === undefined ? desiredTarget(other) : currentTarget(other);
    return record?.storageNamespace !== storageNamespace && holds(other, release);
  });
  return sortBy(found, [(other) => heldTarget(other) === undefined, age]);
}

/** The others that have what a HelmRelease has at a place, with a record of their own, and keep it. */
export function sharersOf(release: HelmRelease, at: ReleaseTarget, others: readonly HelmRelease[]): HelmRelease[] {
  return others.filter((other) => {
    if (keyOf(other.metadata) === keyOf(release.metadata) || other.metadata.deletionTimestamp !== undefined)
      return false;
    return heldTarget(other) === targetText(at) && currentTarget(other)?.storageNamespace !== at.storageNamespace;
  });
}

/** The HelmRelease for people; never the name of one in another namespace. */
export function describeHolder(other: HelmRelease, { metadata }: HelmRelease): string {
  if (other.metadata.namespace !== metadata.namespace) return 'a HelmRelease of another namespace';
  return `HelmRelease ${keyOf(other.metadata)}`;
}

/** Why a HelmRelease waits, and the ways out. */
export function whyTaken(release: HelmRelease, other: HelmRelease): string {
  const { releaseName, namespace } = desiredTarget(release);
  const isNear = other.metadata.namespace === release.metadata.namespace;
  const taken = `release ${releaseName} in namespace ${namespace} is that of ${describeHolder(other, release)}: set another spec.releaseName or spec.targetNamespace`;
  if (other.metadata.deletionTimestamp !== undefined) return `${taken}, or wait until it is deleted`;
  if (!isNear) return `${taken}; or, to take it over, have somebody who may set spec.suspend: true there and delete it`;
  const { storageNamespace } = currentTarget(other) ?? desiredTarget(other);
  return `${taken}. Deleting that HelmRelease uninstalls the release; to take it over, set spec.storageNamespace: ${storageNamespace} here, then spec.suspend: true there, and delete it`;
}
