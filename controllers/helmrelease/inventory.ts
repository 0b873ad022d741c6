import type { InventoryEntry } from '#api/flux/common.js';
import { inventoryEntry } from '#engine/member/model/inventory.js';
import { CancelledError } from '#lib/errors.js';
import { withKnownKinds } from '#engine/flux/objects.js';
import type { ActionContext, Desired } from './actions/context.js';
import { objectsOfRelease } from './read-rendered.js';
import type { ReleaseRecord } from './model/release.js';

/** Every object of a revision, as `status.inventory` lists it. */
export async function entriesOf(
  context: ActionContext,
  record: ReleaseRecord,
  crds: Desired['crds'],
): Promise<InventoryEntry[]> {
  const objects = await withKnownKinds(context, [...crds, ...(await objectsOfRelease(record.manifest))]);
  return objects.map(inventoryEntry);
}

/**
 * The objects of a revision that may have failed, and is on the cluster all the same. Undefined without a revision, or
 * when they cannot be listed now: the outcome of the action counts more.
 */
export async function knownEntriesOf(
  context: ActionContext,
  record: ReleaseRecord | undefined,
  crds: Desired['crds'],
): Promise<InventoryEntry[] | undefined> {
  if (record === undefined) return undefined;
  try {
    return await entriesOf(context, record, crds);
  } catch (error: unknown) {
    if (error instanceof CancelledError) throw error;
    context.log.warn({ err: error, releaseName: context.releaseName }, 'cannot list the objects of a revision');
    return undefined;
  }
}
