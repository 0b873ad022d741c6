import { OWNER_UNKNOWN } from '#api/flux/conditions.js';
import { getCondition } from '../../../runtime/pure/conditions.js';
import type { Applying } from './types.js';

/** Reasons of a failure that may have come before the first try. */
const NOT_TRIED: readonly string[] = [OWNER_UNKNOWN, 'InternalError'];

/**
 * True if the status says that the engine has tried to uninstall since the object was deleted: Ready is False for the
 * generation that the deletion made. A status that was restored from a backup is older than the object.
 */
export function hasBegun({ metadata, status }: Pick<Applying, 'metadata' | 'status'>): boolean {
  const { generation, creationTimestamp, deletionTimestamp } = metadata;
  const ready = getCondition(status?.conditions, 'Ready');
  if (deletionTimestamp === undefined || creationTimestamp === undefined) return false;
  if (ready?.status !== 'False' || NOT_TRIED.includes(ready.reason)) return false;
  // Both are RFC 3339 in UTC with seconds, so their order is that of the texts.
  return ready.observedGeneration === generation && ready.lastTransitionTime >= creationTimestamp;
}
