import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { InventoryEntry } from '#api/flux/common.js';
import { inventoryEntry } from '../../engine/apply/inventory.js';
import { CancelledError } from '../../runtime/pure/errors.js';
import type { ActionContext, Desired } from './actions/context.js';
import { withKnownKinds } from '../shared/objects.js';
import { objectsOfRelease } from './read-rendered.js';
import type { ReleaseRecord } from './model/release.js';

const CRD = /_apiextensions\.k8s\.io_CustomResourceDefinition$/;

/** Everything that a revision keeps on the cluster, as `status.inventory` lists it. */
export async function inventoryOf(
  context: ActionContext,
  record: ReleaseRecord,
  crds: Desired['crds'],
): Promise<{ entries: InventoryEntry[] }> {
  const objects = await withKnownKinds(context, [...crds, ...(await objectsOfRelease(record.manifest))]);
  return { entries: objects.map(inventoryEntry) };
}

/**
 * `status` with the inventory of the revision that an action left, also of one that failed: its objects are there. CRDs
 * are never deleted, so those that are known stay. What cannot be told now is as it was: the outcome counts more.
 */
export async function withInventory(
  status: HelmReleaseStatus,
  context: ActionContext,
  { record, crds = [] }: { readonly record: ReleaseRecord | undefined; readonly crds?: Desired['crds'] },
): Promise<HelmReleaseStatus> {
  if (record === undefined) return status;
  try {
    const { entries } = await inventoryOf(context, record, crds);
    const ids = new Set(entries.map(({ id }) => id));
    const known = (status.inventory?.entries ?? []).filter(({ id }) => CRD.test(id) && !ids.has(id));
    return { ...status, inventory: { entries: [...known, ...entries] } };
  } catch (error: unknown) {
    if (error instanceof CancelledError) throw error;
    context.log.warn({ err: error, releaseName: context.releaseName }, 'cannot list the objects that a revision keeps');
    return status;
  }
}
