import omit from 'lodash/omit.js';
import { objectsWithout } from '#engine/flux/objects.js';
import { objectsOfRelease, recordedObjects, requireReadable } from '../stored-objects.js';
import type { ReleaseRecord, StoredRevision } from '../model/release.js';
import { readRecords, timestamp, type StoredRecord } from '../storage.js';
import { deployRevision, type DeployOptions } from './deploy-revision.js';
import type { ActionContext, Desired, Outcome } from './context.js';
import { ensureNamespace, rejectForeign } from './apply.js';
import { requireObservedRevision, pruneHistory, newRevision } from './revisions.js';
import { SupersededError } from '#lib/errors.js';
import { failureOf } from '#engine/member/member-failure.js';

/** The options that install, upgrade and rollback share. */
export interface CommonOptions extends Pick<
  DeployOptions,
  'timeoutMs' | 'disableHooks' | 'disableWait' | 'disableWaitForJobs'
> {
  readonly maxHistory: number;
  /** Newest revision when the action was decided; 0 for none. */
  readonly observedRevision: number;
}

export interface InstallOptions extends CommonOptions {
  readonly createNamespace: boolean;
  /** Reject objects that exist already instead of adopting them. */
  readonly disableTakeOwnership: boolean;
}

interface Next {
  readonly record: ReleaseRecord;
  /** All revisions in storage. */
  readonly revisions: readonly StoredRevision[];
  /** Those whose objects may be on the cluster. */
  readonly previous: readonly StoredRecord[];
}

/** Stores the next revision as pending, deploys it, and deletes the revisions that are too many. */
async function deployNext(
  context: ActionContext,
  { record, revisions, previous }: Next,
  options: DeployOptions & Pick<CommonOptions, 'maxHistory'> & Partial<Pick<RollbackOptions, 'created'>>,
): Promise<Outcome> {
  const before = previous.map((stored) => stored.record);
  await requireReadable(context, before);
  const stored = await context.storage.create(record);
  await options.created?.();
  const prune = (): Promise<void> => pruneHistory(context, [...revisions, stored.revision], options.maxHistory);
  try {
    const done = await deployRevision(context, stored, previous, options);
    await prune();
    return done;
  } catch (error: unknown) {
    // Another attempt follows, and there may be many before one is waited for.
    if (error instanceof SupersededError) await prune().catch(() => undefined);
    throw error;
  }
}

/** Creates the first revision, or the next one after an uninstall with kept history. */
export async function install(context: ActionContext, desired: Desired, options: InstallOptions): Promise<Outcome> {
  const error = await failureOf(async () => {
    if (options.createNamespace) await ensureNamespace(context);
    if (options.disableTakeOwnership)
      await rejectForeign(context, await objectsOfRelease(context, desired.rendered.manifest), 'install');
  });
  if (error !== undefined) return { record: undefined, error };
  const revisions = await requireObservedRevision(context, options.observedRevision);
  // After an uninstall, an older revision may still have the status deployed. There must not be two.
  const isDeployed = revisions.some(({ status }) => status === 'deployed');
  const previous = isDeployed ? await readRecords(context, revisions) : [];
  const record = newRevision(context, desired, {
    version: options.observedRevision + 1,
    status: 'pending-install',
    description: 'Initial install underway',
  });
  const next = { record, revisions, previous };
  return deployNext(context, next, {
    ...options,
    crds: desired.crds,
    before: 'pre-install',
    after: 'post-install',
    description: 'Install complete',
    failed: 'Release',
  });
}

export interface UpgradeOptions extends CommonOptions {
  /** Reject objects that are new to the release but exist already, instead of adopting them. */
  readonly disableTakeOwnership: boolean;
  readonly cleanupOnFail: boolean;
}

/** Throws ActionError for an object that is new to the release and has another owner. */
async function rejectTaken(
  context: ActionContext,
  { rendered }: Desired,
  previous: readonly StoredRecord[],
): Promise<void> {
  const before = await recordedObjects(
    context,
    previous.map(({ record }) => record),
  );
  await rejectForeign(
    context,
    await objectsWithout(context, await objectsOfRelease(context, rendered.manifest), before),
    'update',
  );
}

/** Creates the next revision, and deletes objects of earlier revisions that it lacks. */
export async function upgrade(context: ActionContext, desired: Desired, options: UpgradeOptions): Promise<Outcome> {
  const revisions = await requireObservedRevision(context, options.observedRevision);
  const previous = await readRecords(context, revisions);
  const error = await failureOf(async () => {
    if (options.disableTakeOwnership) await rejectTaken(context, desired, previous);
  });
  if (error !== undefined) return { record: undefined, error };
  const record = newRevision(context, desired, {
    version: options.observedRevision + 1,
    status: 'pending-upgrade',
    description: 'Preparing upgrade',
    firstDeployed: previous[0]?.record.info.first_deployed,
  });
  const next = { record, revisions, previous };
  return deployNext(context, next, {
    ...options,
    crds: desired.crds,
    before: 'pre-upgrade',
    after: 'post-upgrade',
    description: 'Upgrade complete',
    failed: 'Upgrade',
  });
}

export interface RollbackOptions extends CommonOptions {
  readonly cleanupOnFail: boolean;
  /** Revision to go back to. */
  readonly version: number;
  /** Called after the new revision is stored and before anything is applied. */
  readonly created: () => Promise<void>;
}

/** Creates a revision with the chart, values and manifest of an earlier one, which stays in the history. */
export async function rollback(context: ActionContext, options: RollbackOptions): Promise<Outcome> {
  const target = await context.storage.read(options.version);
  if (target === undefined) {
    return { record: undefined, error: `revision ${options.version} is not in Helm's storage any more` };
  }
  const revisions = await requireObservedRevision(context, options.observedRevision);
  const previous = await readRecords(context, revisions);
  // The target may have been uninstalled with kept history.
  const info = omit(target.record.info, 'deleted');
  const record: ReleaseRecord = {
    ...target.record,
    info: {
      ...info,
      last_deployed: timestamp(context),
      status: 'pending-rollback',
      description: `Rollback to ${options.version}`,
      rollback_revision: options.version,
    },
    version: options.observedRevision + 1,
    // The target may have been applied by another method.
    apply_method: 'ssa',
  };
  const next = { record, revisions, previous };
  return deployNext(context, next, {
    ...options,
    before: 'pre-rollback',
    after: 'post-rollback',
    description: `Rollback to ${options.version}`,
    failed: 'Rollback',
  });
}
