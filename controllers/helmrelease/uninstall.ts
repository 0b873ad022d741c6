import omit from 'lodash/omit.js';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { TerminalError, TransientError } from '#lib/errors.js';
import type { Conclusion } from '#engine/flux/model/conclusion.js';
import { progressing } from '#engine/flux/model/progress.js';
import type { NewEvent } from '#engine/flux/model/types.js';
import { writeStatus } from '#engine/flux/write-status.js';
import {
  CHART_RENAMED,
  currentTarget,
  desiredTarget,
  reasonToMove,
  unaskedReplacement,
  type ReleaseTarget,
} from '#engine/flux/model/release-target.js';
import { uninstallOptions } from './action-options.js';
import { actionContext, type ActionContext } from './actions/context.js';
import { uninstall } from './actions/uninstall.js';
import { claimBeforeMove, claimRelease, isOfNamesake, requireNotLost } from './claim.js';
import { mayUninstall } from './may-uninstall.js';
import { lastRevision } from './model/release.js';
import { withoutFailures, withoutHistory } from './model/status.js';
import { withdrawFrom } from './namespace-metadata.js';
import { requireFresh } from './observe.js';
import type { ReleasePass, Step } from './prepare.js';
import { momentOf, type Pass } from './pass.js';
import { listed } from '#lib/text/text.js';
import { mayLetGo, targetClusterOfDeleted } from '#engine/flux/target-cluster.js';
import { mayGoAlong } from '#engine/flux/installed.js';
import type { HelmRelease } from './model/types.js';
import type { Acted } from './model/action-report.js';

/** After a failed install or upgrade, as its remediation asks. It fails where the deletion rule keeps the release. */
export async function uninstallFailed(step: Step): Promise<Acted> {
  const { release, context } = step;
  const verdict = await mayUninstall(step, context, 'remediation');
  if (verdict?.allowed === false) {
    return { kind: 'uninstalled', record: undefined, error: `nothing was uninstalled: ${verdict.why}` };
  }
  const { record, error } = await uninstall(context, uninstallOptions(release.spec));
  return record === undefined ? { kind: 'nothing' } : { kind: 'uninstalled', record, error };
}

/** The events of an uninstall at the old place; undefined: this HelmRelease uninstalled nothing there. */
async function uninstallOld(pass: ReleasePass, target: ReleaseTarget, why: string): Promise<NewEvent[] | undefined> {
  const { release, status, context } = pass;
  const subject = `release ${target.namespace}/${target.releaseName}`;
  const message = `Uninstalling ${subject}: ${why}`;
  await requireFresh(pass);
  const old = actionContext(pass, { member: context.member, target });
  const isOfAnother = isOfNamesake(release, lastRevision(await claimBeforeMove(pass, old)));
  await writeStatus({ status: progressing(status.current, momentOf(pass), message) }, pass);
  const verdict = await mayUninstall(pass, old, 'moved');
  if (verdict?.allowed === true) {
    const { error } = await uninstall(old, uninstallOptions(release.spec));
    if (error !== undefined) throw new TransientError(`${message}: ${error}`, { reason: 'UninstallFailed' });
  }
  if (target.namespace !== context.namespace && !isOfAnother) await withdrawFrom(pass, old, [target.namespace]);
  if (verdict?.allowed === false) skipUninstall(pass, `Skipping Helm uninstall of ${subject} (${why}): ${verdict.why}`);
  if (verdict?.allowed !== true) return undefined;
  return [{ type: 'Normal', reason: 'UninstallSucceeded', message: `Helm uninstall succeeded for ${subject}: ${why}` }];
}

/**
 * Throws what keeps a release from being uninstalled because it moves: TerminalError `ChartRenamed` if nobody asked for
 * that, and what `requireNotLost` and `claimRelease` throw if its new place is that of another one.
 */
export async function requireMovable(pass: ReleasePass): Promise<void> {
  const { release, inputs, context } = pass;
  const chartName = inputs.chart.metadata.name;
  const problem = unaskedReplacement(release, chartName);
  if (problem !== undefined) throw new TerminalError(CHART_RENAMED, problem);
  if (reasonToMove(release, chartName) === undefined) return;
  const last = lastRevision(await context.storage.revisions());
  await requireNotLost(pass, last);
  await claimRelease(pass, last);
}

/**
 * Uninstalls a release that moved from its old target. The next reconciliation installs it at the new one. Undefined
 * when it did not move.
 */
export async function leaveOldTarget(pass: ReleasePass): Promise<Conclusion<HelmReleaseStatus> | undefined> {
  const { release, inputs, status } = pass;
  const target = currentTarget(release);
  const why = reasonToMove(release, inputs.chart.metadata.name);
  if (target === undefined || why === undefined) return undefined;
  await requireMovable(pass);
  const events = await uninstallOld(pass, target, why);
  const left = withoutFailures(withoutHistory(status.current));
  // At its new place, it has had no release yet. But another host may have uninstalled the old one, and move it there.
  return {
    status: events === undefined ? left : omit(left, 'uid'),
    events: events ?? [],
    next: { kind: 'requeue', afterMs: 1 },
  };
}

/** Messages name at most so many of the objects that an uninstall leaves. */
const MOST_NAMED = 10;

function skipUninstall({ events, release, secrets }: Pass, message: string): void {
  events.record(release, 'Warning', 'UninstallSkipped', secrets.mask(message));
}

async function uninstallFrom(pass: Pass, context: ActionContext, target: ReleaseTarget): Promise<void> {
  const { release, events, secrets } = pass;
  const verdict = await mayUninstall(pass, context, 'deleted');
  if (verdict === undefined) return;
  const subject = `release ${target.namespace}/${target.releaseName}`;
  if (!verdict.allowed) {
    skipUninstall(pass, `Skipping Helm uninstall of ${subject}: ${verdict.why}`);
    return;
  }
  const { error, left = [] } = await uninstall(context, uninstallOptions(release.spec));
  if (error !== undefined) throw new TransientError(`${subject}: ${error}`, { reason: 'UninstallFailed' });
  const rest =
    left.length === 0 ? '' : `; left in place, not marked as its own: ${secrets.mask(listed(left, MOST_NAMED))}`;
  events.record(release, 'Normal', 'UninstallSucceeded', `Helm uninstall succeeded for ${subject}${rest}`);
}

async function uninstallRelease(pass: Pass): Promise<void> {
  const { release, signal } = pass;
  const member = await targetClusterOfDeleted(pass, release, signal);
  const desired = desiredTarget(release);
  const target = currentTarget(release) ?? desired;
  const context = actionContext(pass, { member, target });
  const isOfAnother = isOfNamesake(release, lastRevision(await context.storage.revisions()));
  await uninstallFrom(pass, context, target);
  // The other one has the same name, and so the same fields of the namespaces.
  if (isOfAnother) return;
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
export async function uninstallDeleted(pass: Pass): Promise<void> {
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
