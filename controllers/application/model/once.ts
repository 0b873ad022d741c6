import { INSTALLED_ONCE_ANNOTATION, SUSPENDED_FOR_REMOVAL_ANNOTATION } from '#api/v1alpha1/labels.js';
import { isReady } from './current-condition.js';
import { revisionOf } from './revision.js';
import { isOnce, isSuspendedForRemoval, isUnmanaged, SUSPENSION } from './suspension.js';
import type { Child, Entry } from './types.js';

/** True for an unmanaged child that no engine changes. */
export function isLeftAlone(child: Child | undefined): boolean {
  return child?.spec.suspend === true && isUnmanaged(child) && !isSuspendedForRemoval(child);
}

/** True for a child that was installed by an entry with the mode Once. */
export function isInstalledOnce(live: Child): boolean {
  return isUnmanaged(live) || (isOnce(live) && isReady(live));
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
  return live !== undefined && isOnceFor(entry, live) && (isUnmanaged(live) || isReady(live));
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
