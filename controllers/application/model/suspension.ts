import type { KubeObject } from '#api/meta.js';
import { INSTALLED_ONCE_ANNOTATION, MODE_ANNOTATION, SUSPENDED_FOR_REMOVAL_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child } from './types.js';

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
