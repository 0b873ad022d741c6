import type { ResourceType, Unstructured } from '../../../api/meta.js';
import type { RequestOptions } from '../../runtime/kube.js';
import { pause } from '../../runtime/pause.js';
import { apiStatusOf, ConflictError, WaitingError } from '../../runtime/pure/errors.js';
import { isUnchanged } from './compare.js';
import { subjectOf, targetOf } from './inventory.js';
import type { ApplyRequest, ChangeAction } from './types.js';

const GONE_LIMIT_MS = 60_000;
const GONE_POLL_MS = 500;
/** What the API server says of a change that only a new object may have; it has no code for it. */
const IMMUTABLE = /immutable|may not (?:be )?change|updates to .* are forbidden|forbidden: updates to/i;
/** Recreating these would take everything in them along. */
const NEVER_RECREATED: ReadonlySet<string> = new Set(['Namespace', 'CustomResourceDefinition']);

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

/** True when only a new object could have what is desired. */
function isImmutableChange(error: unknown, object: Unstructured): boolean {
  const status = apiStatusOf(error);
  if (status?.reason !== 'Invalid' || NEVER_RECREATED.has(object.kind)) return false;
  return status.causes.some(({ message }) => IMMUTABLE.test(message));
}

async function waitUntilGone(request: ApplyRequest, type: ResourceType, live: Unstructured): Promise<void> {
  const deadline = performance.now() + GONE_LIMIT_MS;
  for (;;) {
    const now = await request.member.kube.get(type, live.metadata, requestOptions(request));
    if (now === undefined || now.metadata.uid !== live.metadata.uid) return;
    if (performance.now() > deadline) {
      const problem = `${subjectOf(targetOf(live))} must be recreated, but its finalizers keep it: let their controllers finish, or remove them`;
      throw new WaitingError('RecreateTimeout', problem, { retryAfterMs: GONE_LIMIT_MS });
    }
    await pause(GONE_POLL_MS, request.signal);
  }
}

/** What an object is now, and what was done to it. */
export interface Applied {
  readonly action: ChangeAction;
  /** The server's answer. */
  readonly live: Unstructured;
}

async function recreate(request: ApplyRequest, type: ResourceType, object: Unstructured): Promise<Applied> {
  const { kube } = request.member;
  const live = await kube.get<Unstructured>(type, object.metadata, requestOptions(request));
  if (live !== undefined) {
    const { uid } = live.metadata;
    await kube.delete(type, live.metadata, { ...requestOptions(request), uid, propagationPolicy: 'Background' });
    await waitUntilGone(request, type, live);
  }
  return { action: 'configured', live: await write(request, type, object, false) };
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
  try {
    if (request.isRollOut !== true) return await applyChange(request, type, object);
    return { action: 'configured', live: await write(request, type, object, false) };
  } catch (error: unknown) {
    if (request.force !== true || !isImmutableChange(error, object)) throw error;
    return recreate(request, type, object);
  }
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
