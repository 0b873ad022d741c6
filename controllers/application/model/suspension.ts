import type { KubeObject } from '#api/meta.js';
import { SUSPENDED_FOR_REMOVAL_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child } from './types.js';

/** Merge patch that suspends a child before it is deleted; see the guard `shared-release` of the deletion rule. */
export const SUSPENSION = {
  metadata: { annotations: { [SUSPENDED_FOR_REMOVAL_ANNOTATION]: 'true' } },
  spec: { suspend: true },
} as const;

/** True for a child that we suspended, rather than its user. */
export function isSuspendedForRemoval({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[SUSPENDED_FOR_REMOVAL_ANNOTATION] !== undefined;
}

/**
 * Merge patch that removes our suspension from a child that an entry wants again; undefined if there is none. A child
 * that the entry itself suspends stays suspended.
 */
export function resumption(child: KubeObject, desired: Child) {
  if (!isSuspendedForRemoval(child)) return undefined;
  const metadata = { annotations: { [SUSPENDED_FOR_REMOVAL_ANNOTATION]: null } };
  // The `suspend` of the entry was written before.
  return desired.spec.suspend === undefined ? { metadata, spec: { suspend: null } } : { metadata };
}
