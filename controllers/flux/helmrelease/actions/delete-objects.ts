import type { Unstructured } from '../../../../api/meta.js';
import { deleteObjects } from '../../../engine/apply/delete.js';
import { subjectOf, targetOf } from '../../../engine/apply/inventory.js';
import { isKept } from '../model/manifest.js';
import type { ActionContext } from './context.js';
import { isOwned } from '../model/ownership.js';
import { refuseFailures, waitUntil, withKnownKinds } from './objects.js';

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/**
 * Deletes objects in the reverse of the order of applying and returns those that are going. Kept are: objects with
 * resource-policy `keep`, on the cluster or in the manifest, and objects that carry another release's marks.
 * Throws ActionError.
 */
export async function deleteOwned(
  context: ActionContext,
  objects: readonly Unstructured[],
  propagation: Propagation = 'Background',
): Promise<Unstructured[]> {
  const wanted = await withKnownKinds(
    context,
    objects.filter((object) => !isKept(object)),
  );
  const kept = new Set<string>();
  const { failures } = await deleteObjects({
    member: context.member,
    targets: wanted.map(targetOf),
    propagation,
    signal: context.signal,
    mayDelete: (live) => {
      const leave = isKept(live) || !isOwned(live, context);
      if (leave) kept.add(subjectOf(targetOf(live)));
      return !leave;
    },
  });
  refuseFailures('delete', failures);
  return wanted.filter((object) => !kept.has(subjectOf(targetOf(object))));
}

/** Deletes what a hook made, whoever made it: Helm asks neither for marks nor for policies. Throws ActionError. */
export async function deleteHook(context: ActionContext, objects: readonly Unstructured[]): Promise<Unstructured[]> {
  const known = await withKnownKinds(context, objects);
  const { member, signal } = context;
  const { failures } = await deleteObjects({ member, targets: known.map(targetOf), signal });
  refuseFailures('delete', failures);
  return known;
}

/** Waits until objects that were deleted are gone, or made anew by someone else. Throws ActionError. */
export async function waitUntilGone(
  context: ActionContext,
  objects: readonly Unstructured[],
  timeoutMs: number,
): Promise<void> {
  await waitUntil(context, objects, {
    timeoutMs,
    waitingFor: 'deletion of',
    isDone: (live) => live?.metadata.deletionTimestamp === undefined,
  });
}
