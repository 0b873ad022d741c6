import { INSTALLED_ONCE_ANNOTATION, SUSPENDED_FOR_REMOVAL_ANNOTATION } from '#api/v1alpha1/labels.js';
import { isReady } from './current-condition.js';
import { revisionOf } from './revision.js';
import { isOnce, isSuspendedForRemoval, isUnmanaged, SUSPENSION } from './suspension.js';
import type { Child, Entry } from './types.js';

/** True for an unmanaged child that no engine changes. */
export function isLeftAlone(child: Child | undefined): boolean {
  return child?.spec.suspend === true && isUnmanaged(child) && !isSuspendedForRemoval(child);
}

/** True if the mode of an entry is Once, and its child has been installed: its spec does not change any more. */
export function isInstalledFor({ mode }: Entry, live: Child | undefined): live is Child {
  return mode === 'Once' && live !== undefined && (isUnmanaged(live) || isReady(live));
}

/** The same for a child whose entry is gone. */
export function isInstalledOnce(live: Child): boolean {
  return isUnmanaged(live) || (isOnce(live) && isReady(live));
}

/** What was installed; kept where a backup has no status. */
function recordOf(live: Child): Record<string, string> {
  return { [INSTALLED_ONCE_ANNOTATION]: revisionOf(live) ?? '' };
}

/** Merge patch that suspends an installed child for good. */
export function unmanagement(live: Child) {
  const wanted = isSuspendedForRemoval(live) ? { [SUSPENDED_FOR_REMOVAL_ANNOTATION]: null } : {};
  return { metadata: { annotations: { ...recordOf(live), ...wanted } }, spec: { suspend: true } };
}

/** Merge patch that suspends a child before it is deleted. If it is needed again, it is known what was installed. */
export function suspensionOf(live: Child) {
  const record = isInstalledOnce(live) ? recordOf(live) : {};
  return { ...SUSPENSION, metadata: { annotations: { ...SUSPENSION.metadata.annotations, ...record } } };
}
