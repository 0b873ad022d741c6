import sortBy from 'lodash/sortBy.js';
import { currentTarget, desiredTarget, type ReleaseTarget } from '#engine/flux/model/release-target.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import { getCondition } from '#lib/kube/conditions.js';
import { keyOf } from '#lib/kube/keys.js';
import type { HelmRelease } from './types.js';

/** The objects of a release on its cluster, wherever its record is: Helm marks them with its name and namespace. */
export function targetText({ namespace, releaseName }: Pick<ReleaseTarget, 'namespace' | 'releaseName'>): string {
  return keyOf({ namespace, name: releaseName });
}

/** Reason of a HelmRelease that waits for its target. */
export const TARGET_TAKEN = 'TargetTaken';

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

/** It may never come true: it is suspended, in a dry run, being deleted, or its engine gave up on it. */
function isIdle({ metadata, spec, status }: HelmRelease): boolean {
  if (spec.suspend === true || metadata.deletionTimestamp !== undefined || asksForDryRun({ metadata })) return true;
  // One that waits for the target itself is next.
  const stalled = getCondition(status?.conditions, 'Stalled');
  return stalled?.status === 'True' && stalled.reason !== TARGET_TAKEN;
}

/** True if the other one keeps `release` from its target, on whatever cluster: by a release, or as the older one. */
function holds(other: HelmRelease, release: HelmRelease): boolean {
  const target = wantedTarget(release);
  if (heldTarget(other) === target) return true;
  return !isIdle(other) && wantedTarget(other) === target && age(other) < age(release);
}

/** The targets from which a HelmRelease may keep others: by its release, or by its spec unless nothing comes of that. */
function keptTargets(release: HelmRelease): string[] {
  return [...[heldTarget(release) ?? []].flat(), ...(isIdle(release) ? [] : [wantedTarget(release)])];
}

/** The targets that a HelmRelease has left, or that it keeps from nobody any more, e.g. because it is suspended. */
export function leftTargets(before: HelmRelease, now: HelmRelease | undefined): string[] {
  const still = now === undefined ? [] : keptTargets(now);
  return [...new Set(keptTargets(before))].filter((target) => !still.includes(target));
}

/**
 * Another one of the same namespace. Users can write any target and any cluster into objects of their own namespace:
 * those of other namespaces neither keep a release from its target, nor from being uninstalled.
 */
function isNeighbour(other: HelmRelease, { metadata }: HelmRelease): boolean {
  return other.metadata.namespace === metadata.namespace && keyOf(other.metadata) !== keyOf(metadata);
}

/**
 * The others that keep a HelmRelease from its target if they are on its cluster, those with a release first. Two with
 * one record are none: `claimRelease` says whose that is.
 */
export function holdersOf(release: HelmRelease, others: readonly HelmRelease[]): HelmRelease[] {
  const { storageNamespace } = desiredTarget(release);
  const found = others.filter((other) => {
    if (!isNeighbour(other, release)) return false;
    const record = heldTarget(other) === undefined ? desiredTarget(other) : currentTarget(other);
    return record?.storageNamespace !== storageNamespace && holds(other, release);
  });
  return sortBy(found, [(other) => heldTarget(other) === undefined, age]);
}

/** The others that have what a HelmRelease has at a place, with a record of their own, and keep it. */
export function sharersOf(release: HelmRelease, at: ReleaseTarget, others: readonly HelmRelease[]): HelmRelease[] {
  return others.filter((other) => {
    if (!isNeighbour(other, release) || other.metadata.deletionTimestamp !== undefined) return false;
    return heldTarget(other) === targetText(at) && currentTarget(other)?.storageNamespace !== at.storageNamespace;
  });
}

/** True if the other one waits for the target that `release` has: neither leaves its own before the other one. */
function waitsInTurn(other: HelmRelease, release: HelmRelease): boolean {
  const held = heldTarget(release);
  return held !== undefined && heldTarget(other) !== held && wantedTarget(other) === held;
}

/** Why a HelmRelease waits, and the ways out. */
export function whyTaken(release: HelmRelease, other: HelmRelease): string {
  const { releaseName, namespace } = desiredTarget(release);
  const taken = `release ${releaseName} in namespace ${namespace} is that of HelmRelease ${keyOf(other.metadata)}: set another spec.releaseName or spec.targetNamespace`;
  if (other.metadata.deletionTimestamp !== undefined) return `${taken}, or wait until it is deleted`;
  if (waitsInTurn(other, release)) {
    return `${taken}. That one waits for the release of this one in turn, and neither goes first. To swap them, set a third name here, wait until both are Ready, and then set the name that you want`;
  }
  const { storageNamespace } = currentTarget(other) ?? desiredTarget(other);
  return `${taken}. Deleting that HelmRelease uninstalls the release; to take it over, set spec.storageNamespace: ${storageNamespace} here, then spec.suspend: true there, and delete it`;
}
