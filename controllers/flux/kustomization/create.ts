import type { ResourceType, Unstructured } from '#api/meta.js';
import { ConflictError } from '../../runtime/pure/errors.js';
import type { ClusterContext } from '../shared/cluster-context.js';
import { isIgnored } from './model/objects.js';
import { refusalOf } from '../shared/model/refusal.js';

/** No object has this version, so a server-side apply of it is refused by whatever exists, and creates what does not. */
const OF_NOTHING = '1';

/** True for an object that can only be applied to its very version, or to none. */
function isPinned({ metadata }: Unstructured): boolean {
  return metadata.resourceVersion !== undefined || metadata.uid !== undefined;
}

/**
 * Creates an object, in one request; undefined if it exists, or is not meant to be created. What exists is not changed:
 * it may be another's, or ask to be left in place. Throws why the server refuses the object, without its values.
 */
export async function createIfMissing(
  { member, fieldManager, signal }: ClusterContext,
  type: ResourceType,
  { object, dryRun }: { readonly object: Unstructured; readonly dryRun: boolean },
): Promise<Unstructured | undefined> {
  if (isIgnored(object) || isPinned(object)) return undefined;
  const created = { ...object, metadata: { ...object.metadata, resourceVersion: OF_NOTHING } };
  try {
    return await member.kube.apply(type, created, { fieldManager, force: true, signal, dryRun });
  } catch (error: unknown) {
    if (error instanceof ConflictError) return undefined;
    throw refusalOf(error, object);
  }
}
