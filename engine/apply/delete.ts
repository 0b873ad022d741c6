import pLimit from 'p-limit';
import type { Unstructured } from '#api/meta.js';
import type { DeleteOptions } from '#runtime/client/kube.js';
import { defined } from '#lib/plain.js';
import type { Member } from '../member/member.js';
import { inventoryId, subjectOf, type ObjectTarget } from '../member/model/inventory.js';
import { deleteStages } from './order.js';
import type { ChangeAction, ChangeSet, ObjectChange } from './types.js';
import { isUnknownKind, recordFailure, type Failures } from '../member/member-failure.js';

const PARALLEL = 8;

export interface DeleteRequest {
  readonly member: Member;
  /** What to delete, in the order in which it was applied. */
  readonly targets: readonly ObjectTarget[];
  /** Default Background. */
  readonly propagation?: DeleteOptions['propagationPolicy'];
  readonly signal: AbortSignal;
  /** Milliseconds for one request. */
  readonly timeoutMs?: number;
  /** Called with the live object; if false, it is not deleted (kept by policy, or not ours). Default: all are deleted. */
  readonly mayDelete?: (live: Unstructured) => boolean;
}

interface Progress extends Failures {
  readonly changes: ObjectChange[];
}

async function deleteOne(request: DeleteRequest, target: ObjectTarget): Promise<ChangeAction> {
  const { member, signal, timeoutMs, propagation = 'Background' } = request;
  const options = { signal, ...defined({ timeoutMs }) };
  const type = await member.resourceType(target.apiVersion, target.kind, options);
  const live = await member.kube.get<Unstructured>(type, target, options);
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return 'skipped';
  if (request.mayDelete?.(live) === false) return 'skipped';
  // Exactly the observed object: one that was recreated under its name is not deleted.
  const { uid } = live.metadata;
  const existed = await member.kube.delete(type, target, { ...options, uid, propagationPolicy: propagation });
  return existed ? 'deleted' : 'skipped';
}

async function deleteNext(request: DeleteRequest, target: ObjectTarget, progress: Progress): Promise<void> {
  if (progress.stopped) return;
  const change = { id: inventoryId(target), subject: subjectOf(target) };
  try {
    progress.changes.push({ ...change, action: await deleteOne(request, target) });
  } catch (error: unknown) {
    if (isUnknownKind(error)) {
      progress.changes.push({ ...change, action: 'skipped' });
      return;
    }
    recordFailure(progress, change.subject, error);
  }
}

/**
 * Deletes objects in the reverse order of applying. Objects that are missing, are already being deleted, must not be
 * deleted, or are of a kind that is no longer served are `skipped`. Does not wait until they are gone. Otherwise like
 * applyObjects.
 */
export async function deleteObjects(request: DeleteRequest): Promise<ChangeSet> {
  const limit = pLimit(PARALLEL);
  const progress: Progress = { changes: [], failures: [], stopped: false };
  for (const stage of deleteStages(request.targets)) {
    await Promise.all(stage.map((target) => limit(() => deleteNext(request, target, progress))));
  }
  return { changes: progress.changes, failures: progress.failures };
}
