import type { ResourceType, Unstructured } from '#api/meta.js';
import { isBuiltIn } from '#engine/apply/order.js';
import { ConflictError } from '#lib/errors.js';
import type { ClusterContext } from '#engine/flux/objects.js';
import { refusalOf, type Hiding } from '#engine/flux/model/refusal.js';
import { isCreatable } from './model/objects.js';

/** No object has this version, so a server-side apply of it is refused by whatever exists, and creates what does not. */
const OF_NOTHING = '1';

interface Creation {
  /** One that `isCreatable`. */
  readonly object: Unstructured;
  readonly dryRun: boolean;
  readonly hiding?: Hiding | undefined;
}

/**
 * Creates an object, in one request. What exists is not changed: it may be another's, or ask to be left in place.
 * Throws ConflictError if it exists, and why the server refuses the object, without its values.
 */
export async function create(
  { member, fieldManager, signal }: ClusterContext,
  type: ResourceType,
  { object, dryRun, hiding }: Creation,
): Promise<Unstructured> {
  const created = { ...object, metadata: { ...object.metadata, resourceVersion: OF_NOTHING } };
  try {
    return await member.kube.apply(type, created, { fieldManager, force: true, signal, dryRun });
  } catch (error: unknown) {
    throw error instanceof ConflictError ? error : refusalOf(error, object, hiding);
  }
}

/**
 * The same; undefined if the object exists, or is not meant to be created. What may belong to an aggregated API server
 * is read first: it has a storage of its own, and may overwrite what exists.
 */
export async function createIfMissing(
  context: ClusterContext,
  type: ResourceType,
  creation: Creation,
): Promise<Unstructured | undefined> {
  const { object } = creation;
  const { member, signal } = context;
  if (!isCreatable(object)) return undefined;
  try {
    if (!isBuiltIn(object) && (await member.kube.get(type, object.metadata, { signal })) !== undefined)
      return undefined;
    return await create(context, type, creation);
  } catch (error: unknown) {
    if (error instanceof ConflictError) return undefined;
    throw error;
  }
}
