import type { Result } from '#runtime/controller.js';
import { CancelledError, ConflictError, ControllerError } from '#lib/errors.js';
import { notReady } from '#engine/flux/model/progress.js';
import { problemOf } from '#engine/flux/reconcile.js';
import { dropFinalizer } from '#engine/flux/finalizers.js';
import { writeStatus } from '#engine/flux/write-status.js';
import { uninstallDeleted } from './uninstall.js';
import { deleteHelmChart } from './helm-chart.js';
import { momentOf, writerOf, type Pass } from './pass.js';

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

/**
 * The deletion of a HelmRelease: uninstall, delete its HelmChart, drop the finalizer. A suspended one only loses the
 * finalizer. While its cluster is unreachable, the status says so and the uninstall is retried.
 */
export async function finalize(pass: Pass): Promise<Result> {
  try {
    if (pass.release.spec.suspend !== true) await uninstallDeleted(pass);
  } catch (unmasked: unknown) {
    const error = pass.secrets.maskError(unmasked);
    await reportFailure(error, pass);
    throw error;
  }
  await dropRelease(pass);
  return {};
}
