import { kustomizationResource, type Kustomization } from '#api/flux/kustomization.js';
import type { PassContext, Result } from '../../runtime/controller.js';
import { timestamp } from '../../runtime/pure/conditions.js';
import { CancelledError, ConflictError } from '../../runtime/pure/errors.js';
import { mayLetGo, requireAccount } from '../shared/account.js';
import { waitUntilGone } from '../shared/delete-objects.js';
import { problemOf, reasonText } from '../shared/failure.js';
import { dropFinalizer, hasFinalizer } from '../shared/finalizers.js';
import { notReady } from '../shared/model/progress.js';
import { ActionError } from '../shared/objects.js';
import { targetCluster } from '../shared/target-cluster.js';
import { FIELD_MANAGER, keptStatus, ownerOf, writerOf, type Deps } from './deps.js';
import { deletesObjects } from './model/deletion-policy.js';
import { timeoutMs } from './model/timing.js';
import { prune, subjectsOf } from './prune.js';

async function takeDown(deps: Deps, kustomization: Kustomization, { signal, log }: PassContext): Promise<void> {
  const { spec, status } = kustomization;
  await requireAccount(deps, kustomization, signal);
  const member = await targetCluster(deps, kustomization, signal);
  const context = { member, fieldManager: FIELD_MANAGER, namespace: '', signal };
  const request = { context, owner: ownerOf(kustomization), intent: 'deleted', log } as const;
  const { going } = await prune(request, status?.inventory?.entries ?? [], []);
  if (going.length === 0) return;
  const lines = subjectsOf(going).map((subject) => `${subject} deleted`);
  deps.events.record(kustomization, 'Normal', 'ReconciliationSucceeded', lines.join('\n'));
  if (spec.deletionPolicy !== 'WaitForTermination') return;
  try {
    await waitUntilGone(context, going, timeoutMs(spec));
  } catch (error: unknown) {
    // As Flux: what ends later does so without us.
    if (!(error instanceof ActionError)) throw error;
    deps.events.record(kustomization, 'Warning', 'PruneFailed', reasonText(error));
  }
}

async function explain(deps: Deps, kustomization: Kustomization, error: unknown): Promise<void> {
  if (error instanceof CancelledError || error instanceof ConflictError) return;
  const problem = problemOf(error, 'PruneFailed');
  const message = `cannot delete the objects: ${problem.message}; to leave them in place, set spec.deletionPolicy to Orphan`;
  const status = keptStatus(deps, kustomization);
  const moment = { generation: kustomization.metadata.generation ?? 0, now: timestamp(deps.now()) };
  status.current = notReady(status.current, moment, { ...problem, message });
  await status.write();
}

/**
 * The end of a Kustomization: its objects are deleted as its policy says, then it is let go. While its cluster is out of
 * reach the status says so, and it is retried.
 */
export async function finalize(deps: Deps, cached: Kustomization, passContext: PassContext): Promise<Result> {
  const { signal } = passContext;
  // The inventory names what is to be deleted: read it as it is now.
  const kustomization = await deps.kube.get<Kustomization>(kustomizationResource, cached.metadata, { signal });
  if (kustomization?.metadata.deletionTimestamp === undefined || !hasFinalizer(kustomization)) return {};
  try {
    if (deletesObjects(kustomization)) await takeDown(deps, kustomization, passContext);
  } catch (error: unknown) {
    if (!mayLetGo(error, { neverActed: false })) {
      await explain(deps, kustomization, error);
      throw error;
    }
    deps.events.record(kustomization, 'Warning', 'PruneSkipped', `Skipping the deletion of objects: ${error.message}`);
  }
  await dropFinalizer(writerOf(deps), kustomization, signal);
  return {};
}
