import type { KubeObject } from '#api/meta.js';
import { SUSPENDED_FOR_REMOVAL_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child } from './types.js';

/** Merge patch that suspends a child before it is deleted; see the guard `shared-release` of the deletion rule. */
export const SUSPENSION = {
  metadata: { annotations: { [SUSPENDED_FOR_REMOVAL_ANNOTATION]: 'true' } },
  spec: { suspend: true },
} as const;

/** True for a child that we suspended, not its user. */
export function isSuspendedForRemoval({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[SUSPENDED_FOR_REMOVAL_ANNOTATION] !== undefined;
}

/**
 * Merge patch that takes our suspension off a child that an entry has again; undefined when it has none. What the entry
 * suspends itself stays suspended.
 */
export function resumption(child: KubeObject, desired: Child) {
  if (!isSuspendedForRemoval(child)) return undefined;
  const metadata = { annotations: { [SUSPENDED_FOR_REMOVAL_ANNOTATION]: null } };
  // What the entry says of it is written by now.
  return desired.spec.suspend === undefined ? { metadata, spec: { suspend: null } } : { metadata };
}
