import type { Kustomization } from '#api/flux/kustomization.js';
import type { Result } from '#runtime/controller.js';
import { CancelledError, ConflictError } from '#lib/errors.js';
import { mayLetGo, targetClusterOfDeleted } from '#engine/flux/target-cluster.js';
import { waitUntilGone, ActionError, refuseFailures } from '#engine/flux/objects.js';
import { problemOf } from '#engine/flux/reconcile.js';
import { dropFinalizer } from '#engine/flux/finalizers.js';
import { mayGoAlong } from '#engine/flux/installed.js';
import { notReady } from '#engine/flux/model/progress.js';
import { writeStatus } from '#engine/flux/write-status.js';
import { FIELD_MANAGER, momentOf, writerOf, type Pass } from './pass.js';
import { NAME_LABEL, NAMESPACE_LABEL } from './model/objects.js';
import { timeoutMs } from './model/timing.js';
import { letGo, subjectsOf } from './prune.js';
import { reasonText } from '#engine/member/member-failure.js';

/** Whether the objects of a Kustomization go with it; one that is suspended, or has none, leaves everything as it is. */
export function deletesObjects({ spec, status }: Pick<Kustomization, 'spec' | 'status'>): boolean {
  if (spec.suspend === true || (status?.inventory?.entries ?? []).length === 0) return false;
  const { deletionPolicy = 'MirrorPrune' } = spec;
  if (deletionPolicy === 'MirrorPrune') return spec.prune;
  return deletionPolicy === 'Delete' || deletionPolicy === 'WaitForTermination';
}

async function deleteObjects(pass: Pass): Promise<void> {
  const { kustomization, events, signal } = pass;
  const { spec, status } = kustomization;
  const member = await targetClusterOfDeleted(pass, kustomization, signal);
  const context = { member, fieldManager: FIELD_MANAGER, namespace: '', signal };
  const { going, failures } = await letGo(
    pass,
    { context, intent: 'deleted', entries: status?.inventory?.entries ?? [] },
    [],
  );
  refuseFailures('delete', failures);
  if (going.length === 0) return;
  const lines = subjectsOf(going).map((subject) => `${subject} deleted`);
  events.record(kustomization, 'Normal', 'ReconciliationSucceeded', lines.join('\n'));
  if (spec.deletionPolicy !== 'WaitForTermination') return;
  try {
    await waitUntilGone(context, going, timeoutMs(spec));
  } catch (error: unknown) {
    // As in Flux: what ends later does so without us.
    if (!(error instanceof ActionError)) throw error;
    events.record(kustomization, 'Warning', 'PruneFailed', reasonText(error));
  }
}

function skipPrune({ events, kustomization }: Pass, message: string): void {
  events.record(kustomization, 'Warning', 'PruneSkipped', message);
}

async function deleteIfPossible(pass: Pass): Promise<void> {
  try {
    await deleteObjects(pass);
  } catch (error: unknown) {
    if (!mayLetGo(error, { neverActed: false })) throw error;
    skipPrune(pass, `Skipping the deletion of objects: ${error.message}`);
  }
}

/**
 * Deletes the objects unless a guard keeps them. Then the message tells how to find them, as no inventory lists them
 * now.
 */
async function deleteUnlessKept(pass: Pass): Promise<void> {
  const { kustomization, log } = pass;
  const { allowed, guard, why } = await mayGoAlong(kustomization, pass);
  if (allowed) return deleteIfPossible(pass);
  const { name, namespace = '' } = kustomization.metadata;
  const wayOut = `to delete them, use the labels ${NAME_LABEL}=${name},${NAMESPACE_LABEL}=${namespace} on their cluster`;
  const message = `Skipping the deletion of objects: ${why}; ${wayOut}`;
  // No event can be created in a namespace that is being deleted, so the message is also logged.
  log.warn({ guard }, message);
  skipPrune(pass, message);
}

async function reportFailure(error: unknown, pass: Pass): Promise<void> {
  if (error instanceof CancelledError || error instanceof ConflictError) return;
  const problem = problemOf(error, 'PruneFailed');
  const message = `cannot delete the objects: ${problem.message}; to leave them in place, set spec.deletionPolicy to Orphan`;
  await writeStatus({ status: notReady(pass.status.current, momentOf(pass), { ...problem, message }) }, pass);
}

/**
 * The deletion of a Kustomization: its objects are deleted as its policy says, then the finalizer is dropped. While its
 * cluster is unreachable, the status says so and the deletion is retried.
 */
export async function finalize(pass: Pass): Promise<Result> {
  const { kustomization, signal } = pass;
  try {
    if (deletesObjects(kustomization)) await deleteUnlessKept(pass);
  } catch (error: unknown) {
    await reportFailure(error, pass);
    throw error;
  }
  await dropFinalizer(writerOf(pass), kustomization, signal);
  return {};
}
