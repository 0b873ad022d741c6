import { NAMESPACE_METADATA_ANNOTATION, recordedUid } from '#api/v1alpha1/labels.js';
import { includes } from '#lib/json/subset.js';
import {
  belongAlike,
  digestIn,
  isOfOneApplication,
  isOnce,
  isSuspendedForRemoval,
  isUnmanaged,
  offeredTo,
} from '../child/metadata.js';
import { changesOf } from '../child/messages.js';
import type { Child, DesiredChild } from '../child/types.js';

/** True for a child that belongs to nobody, or to an earlier Application of the name. */
export function isAdoption(live: Child, desired: Child): boolean {
  return !belongAlike(live, desired) && !isOfOneApplication(live, desired);
}

/** Why `live` must be tied to its Application; undefined if it is. */
export function whyTie(live: Child, desired: Child): string | undefined {
  if (isAdoption(live, desired)) return 'taken over';
  if (isUnmanaged(live) && !isOnce(desired)) return 'managed again';
  return belongAlike(live, desired) ? undefined : 'changed owner';
}

/** The one annotation of which a change by others would reach the cluster. */
function wishIn({ metadata }: Child): string | undefined {
  return metadata.annotations?.[NAMESPACE_METADATA_ANNOTATION];
}

/** Why the spec of `live` must be written; undefined if it is in its desired state. */
function whyUpdate(live: Child, desired: Child): string | undefined {
  const sameDigest = digestIn(live) === digestIn(desired);
  const hasFields = includes(live.spec, desired.spec) && includes(live.metadata.labels, desired.metadata.labels);
  const asDesired = hasFields && wishIn(live) === wishIn(desired);
  if (isSuspendedForRemoval(live) || offeredTo(live) !== undefined) return 'needed again';
  if (sameDigest && asDesired) return undefined;
  const changes = changesOf(live.spec, desired.spec);
  const what = changes === '' ? 'labels and annotations' : changes;
  return sameDigest ? `changed by another writer: ${what}` : `changed ${what}`;
}

/** Why only the UID of its cluster must be written. */
function whyRecord(live: Child, desired: Child): string | undefined {
  return recordedUid(live) === recordedUid(desired) ? undefined : 'the UID of its cluster is recorded';
}

/** Why `live` must be written; undefined if nothing changes. */
export function whyWritten(live: Child, desired: Child): string | undefined {
  return whyTie(live, desired) ?? whyUpdate(live, desired) ?? whyRecord(live, desired);
}

/** True if nothing is left to write but the digest of a child that its Application holds, or owns, since then. */
export function isTiedOnly({ live, object, digestOfOtherTie }: DesiredChild): boolean {
  if (live === undefined || whyTie(live, object) !== undefined || digestIn(live) !== digestOfOtherTie) return false;
  if (isSuspendedForRemoval(live) || offeredTo(live) !== undefined) return false;
  return includes(live.spec, object.spec) && wishIn(live) === wishIn(object);
}
