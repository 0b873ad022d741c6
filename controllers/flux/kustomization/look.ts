import type { ResourceType, Unstructured } from '#api/meta.js';
import { isUnchanged } from '../../engine/apply/compare.js';
import { resolveType } from '../../engine/apply/resolve-type.js';
import { ConflictError } from '../../runtime/pure/errors.js';
import { takeOverPatch } from '../../runtime/pure/managed-fields.js';
import type { ClusterContext } from '../shared/cluster-context.js';
import { create, createIfMissing } from './create.js';
import { isCreatable, isIgnored, isMerged, isOnlyCreated, type Owner } from './model/objects.js';
import { refusalOf } from '../shared/model/refusal.js';
import { isTakenOver } from './model/take-over.js';
import { prepareRecreation, recreate } from './recreate.js';

export interface LookRequest {
  readonly context: ClusterContext;
  readonly owner: Owner;
  /** Objects whose immutable fields change are recreated, all of them or those that say so. */
  readonly force: boolean;
}

/** What a look at one object found to be done. */
export interface Look {
  readonly object: Unstructured;
  readonly action: 'created' | 'configured' | 'recreated' | 'unchanged' | 'skipped';
  readonly write?: () => Promise<Unstructured>;
  /** What is there, and what a dry run made of it, where both are known. */
  readonly difference?: { readonly live: Unstructured; readonly dryRun: Unstructured };
  /** Others set fields with kubectl: those that the object lacks go. */
  readonly takesOver?: boolean;
  /** Why it cannot be changed, and is recreated. */
  readonly refusal?: unknown;
}

/** An object that the server does not take as it is. */
interface Refused {
  readonly type: ResourceType;
  readonly object: Unstructured;
  readonly live: Unstructured | undefined;
}

/** What changed since it was read is read once more; a conflict that stays is thrown. */
export async function afterConflict<Out>(work: () => Promise<Out>, again: () => Promise<Out>): Promise<Out> {
  try {
    return await work();
  } catch (error: unknown) {
    if (!(error instanceof ConflictError)) throw error;
    return again();
  }
}

function takeOver({ context }: LookRequest, object: Unstructured, live: Unstructured): object[] | undefined {
  if (isMerged(object) || isMerged(live)) return undefined;
  const { fieldManager } = context;
  return takeOverPatch(live, { manager: fieldManager, isTaken: (entry) => isTakenOver(entry, fieldManager) });
}

async function write(
  request: LookRequest,
  type: ResourceType,
  { object, live }: Pick<Refused, 'object' | 'live'>,
): Promise<Unstructured> {
  const { member, fieldManager, signal } = request.context;
  // What somebody else creates meanwhile is looked at first: see afterConflict.
  if (live === undefined && isCreatable(object)) return create(request.context, type, { object, dryRun: false });
  const body = live === undefined ? undefined : takeOver(request, object, live);
  if (body !== undefined) {
    await member.kube.patch(type, object.metadata, { type: 'json', body }, { fieldManager, signal });
  }
  return member.kube.apply(type, object, { fieldManager, force: true, signal });
}

async function recreation(request: LookRequest, { live, ...refused }: Refused, error: unknown): Promise<Look> {
  // To be read once more: see afterConflict.
  if (error instanceof ConflictError) throw error;
  const refusal = refusalOf(error, refused.object);
  if (live === undefined) throw refusal;
  const prepared = await prepareRecreation({ ...request, ...refused, live }, refusal);
  return { object: refused.object, action: 'recreated', refusal, write: () => recreate(prepared) };
}

/** How an object is looked at. */
export interface LookOptions {
  /** Its CRD was applied just now. */
  readonly isArriving: boolean;
  /** It is expected not to exist: a dry run that creates it shows whether that is so. Default false. */
  readonly isNew?: boolean;
}

async function compareLive(request: LookRequest, type: ResourceType, object: Unstructured): Promise<Look> {
  const { member, fieldManager, signal } = request.context;
  const live = await member.kube.get<Unstructured>(type, object.metadata, { signal });
  if (live !== undefined && (isIgnored(live) || isOnlyCreated(object))) return { object, action: 'skipped' };
  const found = { object, write: () => write(request, type, { object, live }) };
  try {
    const dryRun = await member.kube.apply(type, object, { fieldManager, force: true, signal, dryRun: true });
    if (live === undefined) return { ...found, action: 'created' };
    const isSame = isUnchanged(live, dryRun, { desired: object, fieldManager });
    const takesOver = takeOver(request, object, live) !== undefined;
    if (isSame && !takesOver) return { object, action: 'unchanged' };
    return { ...found, action: 'configured', difference: { live, dryRun }, takesOver };
  } catch (error: unknown) {
    return recreation(request, { type, object, live }, error);
  }
}

async function compare(
  request: LookRequest,
  object: Unstructured,
  { isArriving, isNew = false }: LookOptions,
): Promise<Look> {
  const { context } = request;
  if (isIgnored(object)) return { object, action: 'skipped' };
  const type = await resolveType(context, object, isArriving);
  const created = isNew ? await createIfMissing(context, type, { object, dryRun: true }) : undefined;
  if (created === undefined) return compareLive(request, type, object);
  return { object, action: 'created', write: () => write(request, type, { object, live: undefined }) };
}

/**
 * Reads one object and asks the server, by a dry run, what applying would make of it. Throws why the server refuses it.
 */
export async function look(request: LookRequest, object: Unstructured, options: LookOptions): Promise<Look> {
  const work = (): Promise<Look> => compare(request, object, options);
  try {
    return await afterConflict(work, work);
  } catch (error: unknown) {
    throw error instanceof ConflictError ? refusalOf(error, object) : error;
  }
}
