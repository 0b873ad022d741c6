import type { ResourceType, Unstructured } from '#api/meta.js';
import type { RequestOptions } from '#runtime/client/kube.js';
import { apiStatusOf, ConflictError } from '#lib/errors.js';
import { takeOverPatch } from '#lib/kube/managed-fields.js';
import { defined } from '#lib/plain.js';
import { isUnchanged } from './compare.js';
import type { ApplyRequest, ChangeAction } from './types.js';

function requestOptions({ signal, timeoutMs }: ApplyRequest): RequestOptions {
  return { signal, ...defined({ timeoutMs }) };
}

function write(
  request: ApplyRequest,
  type: ResourceType,
  object: Unstructured,
  dryRun: boolean,
): Promise<Unstructured> {
  const { member, fieldManager } = request;
  return member.kube.apply(type, object, { ...requestOptions(request), fieldManager, force: true, dryRun });
}

/** What an object is now, and what was done to it. */
export interface Applied {
  readonly action: ChangeAction;
  /** The server's answer. */
  readonly live: Unstructured;
}

/** Reads first, so that an object in its desired state costs no write. */
async function applyChange(request: ApplyRequest, type: ResourceType, object: Unstructured): Promise<Applied> {
  const live = await request.member.kube.get<Unstructured>(type, object.metadata, requestOptions(request));
  if (live === undefined) return { action: 'created', live: await write(request, type, object, false) };
  const dryRun = await write(request, type, object, true);
  const isSame = isUnchanged(live, dryRun, { desired: object, fieldManager: request.fieldManager });
  if (isSame) return { action: 'unchanged', live };
  return { action: 'configured', live: await write(request, type, object, false) };
}

/** Makes fields of other writers ours, as the request says; true when there were some. */
async function takeOver(request: ApplyRequest, type: ResourceType, live: Unstructured): Promise<boolean> {
  const { member, fieldManager, takeOver: { isTaken } = {} } = request;
  if (isTaken === undefined) return false;
  const body = takeOverPatch(live, { manager: fieldManager, isTaken: (entry) => isTaken(entry, live) });
  if (body === undefined) return false;
  await member.kube.patch(type, live.metadata, { type: 'json', body }, { ...requestOptions(request), fieldManager });
  return true;
}

async function takeOverLive(request: ApplyRequest, type: ResourceType, { metadata }: Unstructured): Promise<boolean> {
  const live = await request.member.kube.get<Unstructured>(type, metadata, requestOptions(request));
  return live !== undefined && takeOver(request, type, live);
}

/**
 * The response also shows whether there are fields to take over. Fields of others may even be why the object is
 * rejected, e.g. a volume with two sources.
 */
async function rollOut(request: ApplyRequest, type: ResourceType, object: Unstructured): Promise<Applied> {
  if (request.takeOver?.looksFirst === true) await takeOverLive(request, type, object);
  try {
    const live = await write(request, type, object, false);
    if (!(await takeOver(request, type, live))) return { action: 'configured', live };
  } catch (error: unknown) {
    const mayHelp = request.takeOver !== undefined && apiStatusOf(error)?.reason === 'Invalid';
    if (!mayHelp || !(await takeOverLive(request, type, object))) throw error;
  }
  return { action: 'configured', live: await write(request, type, object, false) };
}

function applyOnce(request: ApplyRequest, type: ResourceType, object: Unstructured): Promise<Applied> {
  return request.isRollOut === true ? rollOut(request, type, object) : applyChange(request, type, object);
}

/**
 * Applies one object: nothing is written if a dry run shows no change, unless the batch is a roll-out. A conflict with
 * another writer is retried once. A namespaced `object` must have its namespace. Throws what Kube throws.
 */
export async function applyObject(request: ApplyRequest, type: ResourceType, object: Unstructured): Promise<Applied> {
  try {
    return await applyOnce(request, type, object);
  } catch (error: unknown) {
    if (!(error instanceof ConflictError)) throw error;
    return applyOnce(request, type, object);
  }
}
