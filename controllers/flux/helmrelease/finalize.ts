import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { PassContext, Result } from '../../runtime/controller.js';
import { TransientError, CancelledError, ConflictError, ControllerError } from '../../runtime/pure/errors.js';
import { listed } from '../../runtime/pure/listed.js';
import { notReady } from '../shared/model/progress.js';
import { mayLetGo, requireAccount } from '../shared/account.js';
import { problemOf } from '../shared/failure.js';
import { dropFinalizer, hasFinalizer } from '../shared/finalizers.js';
import { targetCluster } from '../shared/target-cluster.js';
import { uninstall } from './actions/uninstall.js';
import { deleteHelmChart } from './helm-chart.js';
import type { Deps } from './deps.js';
import { currentTarget, desiredTarget } from './model/target.js';
import type { HelmRelease } from './model/types.js';
import { actionContext } from './observe.js';
import { keptStatus, statusContextOf, writerOf } from './release-pass.js';
import { mayTakeDown } from './take-down.js';
import { uninstallOptions } from './uninstall-options.js';

/** Of more objects that an uninstall leaves only the number is told. */
const MOST_NAMED = 10;

async function takeDown(deps: Deps, release: HelmRelease, passContext: PassContext): Promise<void> {
  await requireAccount(deps, release, passContext.signal);
  const target = currentTarget(release) ?? desiredTarget(release);
  const member = await targetCluster(deps, release, passContext.signal);
  const context = actionContext(deps, release, { member, target, ...passContext });
  const verdict = await mayTakeDown(release, context, 'deleted');
  if (verdict === undefined) return;
  const subject = `release ${target.namespace}/${target.releaseName}`;
  if (!verdict.allowed) {
    const message = `Skipping Helm uninstall of ${subject}: ${verdict.why}`;
    deps.events.record(release, 'Warning', 'UninstallSkipped', message);
    return;
  }
  const { error, left = [] } = await uninstall(context, uninstallOptions(release.spec));
  if (error !== undefined) throw new TransientError(`${subject}: ${error}`, { reason: 'UninstallFailed' });
  const rest = left.length === 0 ? '' : `; left in place, not marked as its own: ${listed(left, MOST_NAMED)}`;
  deps.events.record(release, 'Normal', 'UninstallSucceeded', `Helm uninstall succeeded for ${subject}${rest}`);
}

/** No action was ever announced in the status, which happens before it begins: nothing of ours can run anywhere. */
function neverActed({ status }: HelmRelease): boolean {
  return status?.lastAttemptedReleaseAction === undefined && (status?.history ?? []).length === 0;
}

async function takeDownIfPossible(deps: Deps, release: HelmRelease, passContext: PassContext): Promise<void> {
  try {
    await takeDown(deps, release, passContext);
  } catch (error: unknown) {
    if (!mayLetGo(error, { neverActed: neverActed(release) })) throw error;
    deps.events.record(release, 'Warning', 'UninstallSkipped', `Skipping Helm uninstall: ${error.message}`);
  }
}

async function explain(deps: Deps, release: HelmRelease, error: unknown): Promise<void> {
  if (!(error instanceof ControllerError) || error instanceof CancelledError || error instanceof ConflictError) return;
  const problem = problemOf(error, 'UninstallFailed');
  const wayOut = problem.stalled ? '; to leave the release unchanged, set spec.suspend' : '';
  const message = `cannot uninstall the release: ${problem.message}${wayOut}`;
  const status = keptStatus(deps, release);
  status.current = notReady(status.current, statusContextOf(deps, release), { ...problem, message });
  await status.write();
}

async function letGo(deps: Deps, release: HelmRelease, signal: AbortSignal): Promise<void> {
  const chart = release.status?.helmChart ?? '';
  // As Flux: suspended is left alone, with all that it has.
  if (chart !== '' && release.spec.suspend !== true) await deleteHelmChart(deps, release, chart, signal);
  await dropFinalizer(writerOf(deps), release, signal);
}

/**
 * The end of a HelmRelease: uninstall, delete its HelmChart, let it go. A suspended one is let go as it is. While the
 * member is out of reach the status says so, and it is tried again.
 */
export async function finalize(deps: Deps, cached: HelmRelease, passContext: PassContext): Promise<Result> {
  const { signal } = passContext;
  // The status names what is to be taken down: read it as it is now.
  const release = await deps.kube.get<HelmRelease>(helmReleaseResource, cached.metadata, { signal });
  if (release?.metadata.deletionTimestamp === undefined) return {};
  if (!hasFinalizer(release)) return {};
  try {
    if (release.spec.suspend !== true) await takeDownIfPossible(deps, release, passContext);
  } catch (error: unknown) {
    await explain(deps, release, error);
    throw error;
  }
  await letGo(deps, release, signal);
  return {};
}
