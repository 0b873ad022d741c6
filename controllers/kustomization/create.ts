import difference from 'lodash/difference.js';
import type { ResourceType, Unstructured } from '#api/meta.js';
import { isBuiltIn } from '#engine/apply/order.js';
import { ConflictError, apiStatusOf, TransientError } from '#lib/errors.js';
import type { ClusterContext } from '#engine/flux/objects.js';
import { refusalOf, type Hiding } from '#engine/flux/model/refusal.js';
import type { Settled } from '#engine/drift/model/ignored-fields.js';
import { mayDelete } from '#engine/deletion/rule.js';
import { hashedName } from '#lib/hash.js';
import { until } from '#runtime/until.js';
import { groupKindOf } from '#engine/member/model/inventory.js';
import { isMap } from '#lib/plain.js';
import { isCreatable, isForced, isKept, marksOf, type Owner } from './model/objects.js';

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

const HOLDERS: readonly string[] = [
  '/PersistentVolume',
  '/PersistentVolumeClaim',
  '/Namespace',
  'apiextensions.k8s.io/CustomResourceDefinition',
];

function field(value: unknown, name: string): unknown {
  return isMap(value) ? value[name] : undefined;
}

/** True when deleting the live object deletes data that is nowhere else. */
export function holdsData(live: Unstructured): boolean {
  const kind = groupKindOf(live);
  if (kind !== 'apps/StatefulSet') return HOLDERS.includes(kind);
  return field(field(live['spec'], 'persistentVolumeClaimRetentionPolicy'), 'whenDeleted') === 'Delete';
}

const GONE_LIMIT_MS = 60_000;

const POLL_MS = 1_000;

/** Longest name of a Service, the strictest of the kinds. */
const MAX_NAME = 63;

/** One object of which a field cannot be changed. */
export interface Recreation {
  readonly context: ClusterContext;
  readonly owner: Owner;
  readonly force: boolean;
  readonly type: ResourceType;
  readonly object: Unstructured;
  readonly live: Unstructured;
  /** The object with what is ignored of the live one. */
  readonly settled: Settled;
}

/** True when the object itself is well: it could be created under another name. */
async function couldBeCreated({ context, type, object }: Recreation): Promise<boolean> {
  const { member, fieldManager, signal } = context;
  const name = hashedName(object.metadata.name, object.metadata.name, MAX_NAME);
  const copy = { ...object, metadata: { ...object.metadata, name } };
  try {
    await member.kube.apply(type, copy, { fieldManager, force: true, dryRun: true, signal });
    return true;
  } catch (error: unknown) {
    if (apiStatusOf(error) === undefined) throw error;
    return false;
  }
}

function fieldsOf(error: unknown): string[] {
  return apiStatusOf(error)?.causes.map(({ field }) => field) ?? [];
}

/** True when the server refuses the same fields with what is ignored of the live object: not because of those. */
async function isRefusedAnyway({ context, type, object, settled }: Recreation, refusal: unknown): Promise<boolean> {
  if (settled.unclear !== undefined) return false;
  if (settled.object === object) return true;
  const { member, fieldManager, signal } = context;
  try {
    await member.kube.apply(type, settled.object, { fieldManager, force: true, dryRun: true, signal });
    return false;
  } catch (error: unknown) {
    if (apiStatusOf(error) === undefined) throw error;
    const fields = fieldsOf(refusal);
    return fields.length > 0 && difference(fields, fieldsOf(error)).length === 0;
  }
}

/** A refusal, and what can be done. */
export function wayOut(text: string, cause: unknown): TransientError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new TransientError(`${message}; ${text}`, { cause, status: apiStatusOf(cause) });
}

/** True when the server refuses the change itself, and the user wants a new object then. */
function isAsked({ object, live, force }: Recreation, refusal: unknown): boolean {
  // Flux takes a conflict for it, too; one that comes and goes must not cost the object.
  return apiStatusOf(refusal)?.reason === 'Invalid' && (force || isForced(object) || isForced(live));
}

/**
 * Whether an object that the server refuses to change may be deleted and created again; throws `refusal`, with the way
 * out, where it may not. An object that is wrong in itself stays: nothing would come in its place.
 */
export async function prepareRecreation(recreation: Recreation, refusal: unknown): Promise<Recreation> {
  const { context, live, owner } = recreation;
  if (!isAsked(recreation, refusal) || !(await couldBeCreated(recreation))) throw refusal;
  if (!(await isRefusedAnyway(recreation, refusal))) {
    throw wayOut(
      'force does not recreate it because of a field in spec.ignore: undo the change of that field, or ignore it no longer',
      refusal,
    );
  }
  const { allowed, why } = mayDelete({
    subject: 'object',
    intent: 'recreate',
    kind: live.kind,
    isKept: isKept(live) || live.metadata.annotations?.['helm.sh/resource-policy'] === 'keep',
    marks: marksOf(live, owner, context.fieldManager),
    isFromCrds: false,
    holdsData: holdsData(live),
  });
  if (allowed) return recreation;
  throw wayOut(`force does not recreate it, because ${why}: delete it yourself, or undo the change`, refusal);
}

/** Deletes the very object that was looked at, waits until it is gone, and creates the new one. */
export async function recreate({ context, type, object, live }: Recreation): Promise<Unstructured> {
  const { member, fieldManager, signal } = context;
  const { uid } = live.metadata;
  await member.kube.delete(type, object.metadata, { uid, propagationPolicy: 'Background', signal });
  const isGone = async (): Promise<boolean> => {
    const found = await member.kube.get(type, object.metadata, { signal });
    return found?.metadata.uid !== uid;
  };
  const gone = await until(isGone, { timeoutMs: GONE_LIMIT_MS, intervalMs: POLL_MS, signal });
  if (gone === undefined) throw new TransientError('it was deleted to be recreated, and is not gone yet');
  if (isCreatable(object)) return create(context, type, { object, dryRun: false });
  return member.kube.apply(type, object, { fieldManager, force: true, signal });
}
