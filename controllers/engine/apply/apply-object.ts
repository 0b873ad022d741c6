import type { ResourceType, Unstructured } from '../../../api/meta.js';
import type { RequestOptions } from '../../runtime/kube.js';
import { ConflictError } from '../../runtime/pure/errors.js';
import { isUnchanged } from './compare.js';
import type { ApplyRequest, ChangeAction } from './types.js';

function requestOptions({ signal, timeoutMs }: ApplyRequest): RequestOptions {
  return { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
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

/** Looks first, so that an object that is as it should be costs no write. */
async function applyChange(request: ApplyRequest, type: ResourceType, object: Unstructured): Promise<Applied> {
  const live = await request.member.kube.get<Unstructured>(type, object.metadata, requestOptions(request));
  if (live === undefined) return { action: 'created', live: await write(request, type, object, false) };
  const dryRun = await write(request, type, object, true);
  const isSame = isUnchanged(live, dryRun, { desired: object, fieldManager: request.fieldManager });
  if (isSame) return { action: 'unchanged', live };
  return { action: 'configured', live: await write(request, type, object, false) };
}

async function applyOnce(request: ApplyRequest, type: ResourceType, object: Unstructured): Promise<Applied> {
  if (request.isRollOut !== true) return applyChange(request, type, object);
  return { action: 'configured', live: await write(request, type, object, false) };
}

/**
 * Brings one object to the cluster: nothing is written when a dry run shows no change, unless the batch is a roll-out;
 * another writer's conflict is tried once more. `object` must name its namespace when it is namespaced. Throws what
 * Kube throws.
 */
export async function applyObject(request: ApplyRequest, type: ResourceType, object: Unstructured): Promise<Applied> {
  try {
    return await applyOnce(request, type, object);
  } catch (error: unknown) {
    if (!(error instanceof ConflictError)) throw error;
    return applyOnce(request, type, object);
  }
}
