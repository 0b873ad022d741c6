import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { Result } from '#runtime/controller.js';
import { TransientError, CancelledError, ConflictError, ControllerError } from '#lib/errors.js';
import { listed } from '#lib/text/text.js';
import { notReady } from '#engine/flux/model/progress.js';
import { mayLetGo, targetClusterOfDeleted } from '#engine/flux/target-cluster.js';
import { problemOf } from '#engine/flux/reconcile.js';
import { dropFinalizer, hasFinalizer } from '#engine/flux/finalizers.js';
import { mayGoAlong } from '#engine/flux/installed.js';
import { writeStatus } from '#engine/flux/write-status.js';
import { currentTarget, desiredTarget, type ReleaseTarget } from '#engine/flux/model/release-target.js';
import { uninstallOptions } from './action-options.js';
import { actionContext, type ActionContext } from './actions/context.js';
import { uninstall } from './actions/uninstall.js';
import { deleteHelmChart } from './helm-chart.js';
import { momentOf, writerOf, type Deps, type Pass } from './pass.js';
import { mayUninstall } from './may-uninstall.js';
import type { HelmRelease } from './model/types.js';
import { withdrawFrom } from './namespace-metadata.js';

/** Messages name at most so many of the objects that an uninstall leaves. */
const MOST_NAMED = 10;

function skipUninstall({ events, release }: Pass, message: string): void {
  events.record(release, 'Warning', 'UninstallSkipped', message);
}

async function uninstallFrom(pass: Pass, context: ActionContext, target: ReleaseTarget): Promise<void> {
  const { release, events } = pass;
  const verdict = await mayUninstall(release, context, 'deleted');
  if (verdict === undefined) return;
  const subject = `release ${target.namespace}/${target.releaseName}`;
  if (!verdict.allowed) {
    skipUninstall(pass, `Skipping Helm uninstall of ${subject}: ${verdict.why}`);
    return;
  }
  const { error, left = [] } = await uninstall(context, uninstallOptions(release.spec));
  if (error !== undefined) throw new TransientError(`${subject}: ${error}`, { reason: 'UninstallFailed' });
  const rest = left.length === 0 ? '' : `; left in place, not marked as its own: ${listed(left, MOST_NAMED)}`;
  events.record(release, 'Normal', 'UninstallSucceeded', `Helm uninstall succeeded for ${subject}${rest}`);
}

async function uninstallRelease(pass: Pass): Promise<void> {
  const { release, signal } = pass;
  const member = await targetClusterOfDeleted(pass, release, signal);
  const desired = desiredTarget(release);
  const target = currentTarget(release) ?? desired;
  const context = actionContext(pass, { member, target });
  await uninstallFrom(pass, context, target);
  const kept = await withdrawFrom(pass, context, [target.namespace, desired.namespace]);
  if (kept !== undefined) skipUninstall(pass, kept);
}

/** The status announces each action before it begins: without any, nothing of ours runs anywhere. */
function neverActed({ status }: HelmRelease): boolean {
  return status?.lastAttemptedReleaseAction === undefined && (status?.history ?? []).length === 0;
}

async function uninstallIfPossible(pass: Pass): Promise<void> {
  try {
    await uninstallRelease(pass);
  } catch (error: unknown) {
    if (!mayLetGo(error, { neverActed: neverActed(pass.release) })) throw error;
    skipUninstall(pass, `Skipping Helm uninstall: ${error.message}`);
  }
}

/**
 * Uninstalls the release unless a guard keeps it. Then the message tells how to uninstall it, as no object names it
 * now.
 */
async function uninstallUnlessKept(pass: Pass): Promise<void> {
  const { release, log } = pass;
  const { allowed, guard, why } = await mayGoAlong(release, pass);
  if (allowed) return uninstallIfPossible(pass);
  const { releaseName, namespace, storageNamespace } = currentTarget(release) ?? desiredTarget(release);
  const wayOut = `to uninstall it, run "helm uninstall ${releaseName} --namespace ${storageNamespace}" on its cluster`;
  const message = `Skipping Helm uninstall of release ${namespace}/${releaseName}: ${why}; ${wayOut}`;
  // No event can be created in a namespace that is being deleted, so the message is also logged.
  log.warn({ guard }, message);
  skipUninstall(pass, message);
}

async function reportFailure(error: unknown, pass: Pass): Promise<void> {
  if (!(error instanceof ControllerError) || error instanceof CancelledError || error instanceof ConflictError) return;
  const problem = problemOf(error, 'UninstallFailed');
  const wayOut = problem.stalled ? '; to leave the release unchanged, set spec.suspend' : '';
  const message = `cannot uninstall the release: ${problem.message}${wayOut}`;
  await writeStatus({ status: notReady(pass.status.current, momentOf(pass), { ...problem, message }) }, pass);
}

async function dropRelease(pass: Pass): Promise<void> {
  const { release, signal } = pass;
  const chart = release.status?.helmChart ?? '';
  // As in Flux, a suspended release keeps its HelmChart.
  if (chart !== '' && release.spec.suspend !== true) await deleteHelmChart(pass, release, chart, signal);
  await dropFinalizer(writerOf(pass), release, signal);
}

/** A deleted release, as the API server has it; undefined if it does not wait for us. */
export async function readDeleted(
  { kube }: Pick<Deps, 'kube'>,
  { metadata }: HelmRelease,
  signal: AbortSignal,
): Promise<HelmRelease | undefined> {
  // The status names what is to be uninstalled: a cached one may be old.
  const release = await kube.get<HelmRelease>(helmReleaseResource, metadata, { signal });
  if (release?.metadata.deletionTimestamp === undefined) return undefined;
  return hasFinalizer(release) ? release : undefined;
}

/**
 * The deletion of a HelmRelease: uninstall, delete its HelmChart, drop the finalizer. A suspended one only loses the
 * finalizer. While its cluster is unreachable, the status says so and the uninstall is retried.
 */
export async function finalize(pass: Pass): Promise<Result> {
  try {
    if (pass.release.spec.suspend !== true) await uninstallUnlessKept(pass);
  } catch (error: unknown) {
    await reportFailure(error, pass);
    throw error;
  }
  await dropRelease(pass);
  return {};
}
