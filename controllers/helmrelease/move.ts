import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { TransientError } from '#lib/errors.js';
import type { Conclusion } from '#engine/flux/model/conclusion.js';
import { progressing } from '#engine/flux/model/progress.js';
import { writeStatus } from '#engine/flux/write-status.js';
import { currentTarget, reasonToMove, type ReleaseTarget } from '#engine/flux/model/release-target.js';
import { uninstallOptions } from './action-options.js';
import { actionContext } from './actions/context.js';
import { uninstall } from './actions/uninstall.js';
import { mayUninstall } from './may-uninstall.js';
import { withoutFailures, withoutHistory } from './model/status.js';
import { withdrawFrom } from './namespace-metadata.js';
import { requireFresh } from './observe.js';
import type { ReleasePass } from './prepare.js';
import { momentOf } from './pass.js';

async function uninstallOld(pass: ReleasePass, target: ReleaseTarget, message: string): Promise<void> {
  const { release, status, context } = pass;
  await requireFresh(pass);
  await writeStatus({ status: progressing(status.current, momentOf(pass), message) }, pass);
  const old = actionContext(pass, { member: context.member, target });
  const verdict = await mayUninstall(release, old, 'moved');
  if (verdict?.allowed === true) {
    const { error } = await uninstall(old, uninstallOptions(release.spec));
    if (error !== undefined) throw new TransientError(`${message}: ${error}`, { reason: 'UninstallFailed' });
  }
  if (target.namespace !== context.namespace) await withdrawFrom(pass, old, [target.namespace]);
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
  await uninstallOld(pass, target, `Uninstalling release ${target.namespace}/${target.releaseName}: ${why}`);
  const left = withoutFailures(withoutHistory(status.current));
  return { status: left, events: [], next: { kind: 'requeue', afterMs: 1 } };
}
