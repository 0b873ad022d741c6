import { recalled } from './model/recalled.js';
import type { ReleaseRecord, StoredRevision } from './model/release.js';
import { activeRemediation } from './model/remediation.js';
import type { ReleaseStatusFields } from './model/status.js';
import { inventoryOf, type Step, type StepResult } from './perform.js';
import { renderDesired } from './render-desired.js';

type RecallStep = Omit<Step, 'begin'>;

/** Helm does not store the crds/ of a chart: they are rendered again. */
async function inventoryFor(step: RecallStep, record: ReleaseRecord): Promise<Pick<ReleaseStatusFields, 'inventory'>> {
  if (record.info.status !== 'deployed' || record.info.rollback_revision !== undefined) return {};
  const desired = await renderDesired(step, step.status.lastAttemptedReleaseAction === 'upgrade');
  const crds = 'problem' in desired ? [] : desired.rendered.crds;
  return { inventory: await inventoryOf(step.context, record, crds) };
}

/**
 * The status after an action whose end is in Helm's storage, where the process that ran it did not live to write it;
 * undefined where it can no longer be told. Throws what ends a pass.
 */
export async function recall(step: RecallStep, last: StoredRevision): Promise<StepResult | undefined> {
  const stored = await step.context.storage.read(last.version);
  if (stored === undefined) return undefined;
  const { record } = stored;
  const { status, statusContext, release } = step;
  const clearFailures = activeRemediation({ spec: release.spec, status })?.retryOnFailure === true;
  const next = recalled(status, statusContext, { record, clearFailures });
  if (next === undefined) return undefined;
  const result = { status: { ...next, ...(await inventoryFor(step, record)) } };
  return record.info.status === 'failed' ? { ...result, error: record.info.description ?? '' } : result;
}
