import { entriesOf } from './inventory.js';
import type { Acted } from './model/action-report.js';
import type { ReleaseRecord, StoredRevision } from './model/release.js';
import type { Step } from './prepare.js';
import { prepareChart, renderDesired, valuesOf } from './render-desired.js';

type Resumed = Extract<Acted, { kind: 'resumed' }>;

/** What storage does not contain of a deployed install or upgrade. */
async function observeDeployed(
  step: Step,
  record: ReleaseRecord,
  isUpgrade: boolean,
): Promise<Pick<Resumed, 'entries' | 'isCurrentSpec'>> {
  const before = { ...step, observedRevision: record.version - 1 };
  const prepared = await prepareChart(before, isUpgrade);
  const desired = 'problem' in prepared ? prepared : await renderDesired(before, isUpgrade, prepared);
  const manifest = 'problem' in desired ? undefined : desired.rendered.manifest;
  // Helm does not store the crds/ of a chart.
  const crds = 'problem' in prepared ? [] : prepared.crds;
  // The spec may have changed since: it is the deployed one only if it renders to the same.
  return { entries: await entriesOf(step.context, record, crds), isCurrentSpec: manifest === record.manifest };
}

/**
 * Reads how an action ended whose process did not live to report it: Helm's storage has its end. Undefined if the
 * revision is gone. Throws what ends a reconciliation.
 */
export async function resume(step: Step, last: StoredRevision): Promise<Resumed | undefined> {
  const { context, status, inputs } = step;
  const stored = await context.storage.read(last.version);
  if (stored === undefined) return undefined;
  const { record } = stored;
  const { releaseName, log } = context;
  log.info({ version: last.version, releaseName }, 'resuming the action of an earlier process');
  const isUpgrade = status.current.lastAttemptedReleaseAction === 'upgrade';
  const { config } = await valuesOf(step, isUpgrade);
  const now = { config, configDigest: inputs.configDigest };
  const isDeployed = record.info.status !== 'failed' && record.info.rollback_revision === undefined;
  const rest = isDeployed
    ? await observeDeployed(step, record, isUpgrade)
    : { entries: undefined, isCurrentSpec: false };
  return { kind: 'resumed', record, now, ...rest };
}
