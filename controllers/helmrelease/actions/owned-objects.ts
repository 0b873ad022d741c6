import type { Unstructured } from '#api/meta.js';
import type { TakeOverRule } from '#engine/apply/types.js';
import { ActionError, applyPlain, readLive, withKnownKinds } from '#engine/flux/objects.js';
import { ownershipConflict, withOwnership, isTakenOver } from '../model/ownership.js';
import type { ActionContext } from './context.js';

/**
 * Applies objects with Helm's ownership marks, and takes over the fields that helm set by hand or by client-side apply.
 * Returns the live objects by id. Throws ActionError naming every rejected object.
 */
export function applyOwned(
  context: ActionContext,
  objects: readonly Unstructured[],
  { looksFirst }: Pick<TakeOverRule, 'looksFirst'>,
): Promise<Unstructured[]> {
  return applyPlain(
    context,
    objects.map((object) => withOwnership(object, context)),
    { looksFirst, isTaken: (entry, live) => isTakenOver(entry, live, context) },
  );
}

/** Throws ActionError for the first object that exists and does not belong to this release. */
export async function rejectForeign(
  context: ActionContext,
  objects: readonly Unstructured[],
  action: 'install' | 'update',
): Promise<void> {
  for (const object of await withKnownKinds(context, objects)) {
    const live = await readLive(context, object);
    const conflict = live === undefined ? undefined : ownershipConflict(live, context);
    if (conflict !== undefined) throw new ActionError(`Unable to continue with ${action}: ${conflict}`);
  }
}
