import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { recalled } from './model/recalled.js';
import type { ReleaseRecord, StoredRevision } from './model/release.js';
import { activeRemediation } from './model/remediation.js';
import { inventoryOf } from './inventory.js';
import { withObserved } from './model/observed-digests.js';
import type { Step, StepResult } from './perform.js';
import { prepareChart, renderDesired, valuesOf } from './render-desired.js';

function wasUpgrade({ status }: Step): boolean {
  return status.current.lastAttemptedReleaseAction === 'upgrade';
}

/** `status` of an install or upgrade that was deployed, with what storage does not tell. */
async function completed(status: HelmReleaseStatus, step: Step, record: ReleaseRecord): Promise<HelmReleaseStatus> {
  const isUpgrade = wasUpgrade(step);
  const before = { ...step, decidedOn: record.version - 1 };
  const prepared = await prepareChart(before, isUpgrade);
  const desired = 'problem' in prepared ? prepared : await renderDesired(before, isUpgrade, prepared);
  const manifest = 'problem' in desired ? undefined : desired.rendered.manifest;
  // The spec may have changed since: it is the one that was rolled out if it still gives the same.
  const observed = manifest === record.manifest ? withObserved(status, step.release.spec) : status;
  // Helm does not store the crds/ of a chart.
  const crds = 'problem' in prepared ? [] : prepared.crds;
  return { ...observed, inventory: await inventoryOf(step.context, record, crds) };
}

/**
 * Says what an action did whose end is in Helm's storage, where the process that ran it did not live to say it;
 * undefined where it can no longer be told. Throws what ends a pass.
 */
export async function recall(step: Step, last: StoredRevision): Promise<StepResult | undefined> {
  const stored = await step.context.storage.read(last.version);
  if (stored === undefined) return undefined;
  const { record } = stored;
  const { status, statusContext, release } = step;
  const clearFailures = activeRemediation({ spec: release.spec, status: status.current })?.retryOnFailure === true;
  const { config } = await valuesOf(step, wasUpgrade(step));
  const now = { config, configDigest: step.inputs.configDigest };
  const next = recalled(status.current, statusContext, { record, now, clearFailures });
  if (next === undefined) return undefined;
  const { status: ended, rollback_revision: wentBackTo, description = '' } = record.info;
  const isDeployed = ended !== 'failed' && wentBackTo === undefined;
  status.current = isDeployed ? await completed(next, step, record) : next;
  return ended === 'failed' ? { error: description } : {};
}
