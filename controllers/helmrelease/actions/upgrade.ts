import { failureOf } from '#engine/flux/failure.js';
import { objectsWithout } from '#engine/flux/objects.js';
import { objectsOfRelease, recordedObjects } from '../read-rendered.js';
import { lastRevision } from '../model/release.js';
import { type StoredRecord, readRecords } from '../storage.js';
import { deployRevision, type DeployOptions } from './deploy-revision.js';
import type { ActionContext, Desired, Outcome } from './context.js';
import { requireObservedRevision, pruneHistory, newRevision } from './revisions.js';
import { rejectForeign } from './owned-objects.js';

export interface UpgradeOptions extends Omit<DeployOptions, 'before' | 'after' | 'description' | 'failed' | 'crds'> {
  /** Reject objects that are new to the release but exist already, instead of adopting them. */
  readonly disableTakeOwnership: boolean;
  readonly maxHistory: number;
  /** Newest revision when the upgrade was decided. */
  readonly observedRevision: number;
}

/** Throws ActionError for an object that is new to the release and has another owner. */
async function rejectTaken(
  context: ActionContext,
  { rendered }: Desired,
  previous: readonly StoredRecord[],
): Promise<void> {
  const before = await recordedObjects(previous.map(({ record }) => record));
  await rejectForeign(
    context,
    await objectsWithout(context, await objectsOfRelease(rendered.manifest), before),
    'update',
  );
}

/** Creates the next revision, and deletes objects of earlier revisions that it lacks. */
export async function upgrade(context: ActionContext, desired: Desired, options: UpgradeOptions): Promise<Outcome> {
  const { storage } = context;
  const revisions = await requireObservedRevision(context, options.observedRevision);
  const previous = await readRecords(context, revisions);
  const error = await failureOf(async () => {
    if (options.disableTakeOwnership) await rejectTaken(context, desired, previous);
  });
  if (error !== undefined) return { record: undefined, error };
  const record = newRevision(context, desired, {
    version: (lastRevision(revisions)?.version ?? 0) + 1,
    status: 'pending-upgrade',
    description: 'Preparing upgrade',
    firstDeployed: previous[0]?.record.info.first_deployed,
  });
  const stored = await storage.create(record);
  const done = await deployRevision(context, stored, previous, {
    ...options,
    crds: desired.crds,
    before: 'pre-upgrade',
    after: 'post-upgrade',
    description: 'Upgrade complete',
    failed: 'Upgrade',
  });
  await pruneHistory(context, [...revisions, stored.revision], options.maxHistory);
  return done;
}
