import { namespaceResource } from '#api/core.js';
import { OWNER_UNKNOWN } from '#api/flux/conditions.js';
import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { applicationOwners, deletionPolicyOf, isWithoutOwner } from '#api/v1alpha1/ownership.js';
import type { Permission } from '#runtime/controller.js';
import type { Kube } from '#runtime/client/kube.js';
import { getCondition } from '#lib/kube/conditions.js';
import { apiStatusOf, TransientError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import type { InstalledFacts } from '../deletion/facts.js';
import { mayDelete, type Decision } from '../deletion/rule.js';
import type { Applying } from './model/types.js';
import { reasonText } from '../member/member-failure.js';

/** Permissions on the host that a deletion needs to read the owner and the namespace. */
export const OWNER_PERMISSIONS: readonly Permission[] = [
  { group: applicationResource.group, resources: [applicationResource.plural], verbs: ['get'] },
  { group: '', resources: ['namespaces'], verbs: ['get'] },
];

/** Access to the API server itself: a cache may lack an object that exists. */
interface Asking {
  readonly kube: Pick<Kube, 'get'>;
  readonly signal: AbortSignal;
}

/**
 * Reads an object from the API server; undefined if it does not exist. Throws TransientError `OwnerUnknown` on a
 * failure.
 */
async function read<T extends KubeObject>(
  type: ResourceType,
  ref: ObjectRef,
  { kube, signal }: Asking,
): Promise<T | undefined> {
  try {
    return await kube.get<T>(type, ref, { signal });
  } catch (error: unknown) {
    if (!(error instanceof TransientError)) throw error;
    const message = `${type.kind} ${keyOf(ref)} could not be read, and decides whether what was installed stays`;
    throw new TransientError(`${message}: ${reasonText(error)}`, {
      cause: error,
      reason: OWNER_UNKNOWN,
      status: apiStatusOf(error),
    });
  }
}

/** The Application that owns an object: an owner reference must have both its name and its UID. */
async function livingOwner(object: Applying, asking: Asking): Promise<Application | undefined> {
  const { namespace } = object.metadata;
  for (const { name, uid } of applicationOwners(object)) {
    const found = await read<Application>(applicationResource, { name, namespace }, asking);
    if (found?.metadata.uid === uid) return found;
  }
  return undefined;
}

/** True if the namespace of an object is being deleted, or is already gone. */
async function isNamespaceLeaving({ metadata: { namespace = '' } }: Applying, asking: Asking): Promise<boolean> {
  const found = await read(namespaceResource, { name: namespace }, asking);
  return found === undefined || found.metadata.deletionTimestamp !== undefined;
}

/** Reasons of a failure before the engine first tried to uninstall. */
const NOT_TRIED: readonly string[] = [OWNER_UNKNOWN, 'InternalError'];

/**
 * @internal True if the status says that the engine has tried to uninstall since the object was deleted: Ready is False
 * for the generation of the deletion. A status that was restored from a backup is older than the object.
 */
export function hasBegun({ metadata, status }: Pick<Applying, 'metadata' | 'status'>): boolean {
  const { generation, creationTimestamp, deletionTimestamp } = metadata;
  const ready = getCondition(status?.conditions, 'Ready');
  if (deletionTimestamp === undefined || creationTimestamp === undefined) return false;
  if (ready?.status !== 'False' || NOT_TRIED.includes(ready.reason)) return false;
  // Both are RFC 3339 in UTC with whole seconds, so they compare as texts.
  return ready.observedGeneration === generation && ready.lastTransitionTime >= creationTimestamp;
}

async function factsOf(object: Applying, asking: Asking): Promise<InstalledFacts> {
  const begun = { subject: 'installed', hasBegun: hasBegun(object) } as const;
  if (applicationOwners(object).length === 0) {
    const policy = isWithoutOwner(object) ? 'Orphan' : 'Delete';
    const isSwept = policy === 'Orphan' && (await isNamespaceLeaving(object, asking));
    return { ...begun, owner: 'none', policy, isSwept };
  }
  const owner = await livingOwner(object, asking);
  if (owner === undefined) return { ...begun, owner: 'lost', policy: 'Delete', isSwept: false };
  // The policy may have changed so late that the child still has its owner reference.
  const policy = deletionPolicyOf(owner);
  const isOwnerLeaving = owner.metadata.deletionTimestamp !== undefined;
  const isSwept = policy === 'Orphan' && (isOwnerLeaving || (await isNamespaceLeaving(object, asking)));
  return { ...begun, owner: 'living', policy, isSwept };
}

/**
 * Decides whether what a deleted object installed is removed with it. Reads from the API server only for children of
 * Applications. Throws TransientError `OwnerUnknown` if that fails, so the deletion waits.
 */
export async function mayGoAlong(object: Applying, asking: Asking): Promise<Decision> {
  const facts = await factsOf(object, asking);
  return mayDelete(facts);
}
