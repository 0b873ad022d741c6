import { objectsOfRelease } from '../read-rendered.js';
import { lastRevision, type StoredRevision } from '../model/release.js';
import type { StoredRecord } from '../storage.js';
import { deployRevision, recordedObjects, type DeployOptions } from './deploy-revision.js';
import { TerminalError } from '#controllers/runtime/pure/errors.js';
import { failureOf } from '../../shared/failure.js';
import type { ActionContext, Desired, Outcome } from './context.js';
import { requireObservedRevision } from './observed-revision.js';
import { pruneHistory } from './prune-history.js';
import { newRevision } from './new-revision.js';
import { objectsWithout } from '../../shared/objects.js';
import { rejectForeign } from './owned-objects.js';

export interface UpgradeOptions extends Omit<DeployOptions, 'before' | 'after' | 'description' | 'failed' | 'crds'> {
  /** Reject objects that are new to the release but exist already, instead of adopting them. */
  readonly disableTakeOwnership: boolean;
  readonly maxHistory: number;
  /** Newest revision when the upgrade was decided. */
  readonly observedRevision: number;
}

function tooMuchHeld({ releaseName }: ActionContext, secretName: string): TerminalError {
  return new TerminalError(
    'StateError',
    `the revisions of release ${releaseName} in Helm's storage since its last deployed one, up to Secret ${secretName}, have ` +
      `more than ${MAX_HELD_BYTES} bytes when they are unpacked: delete Secrets of failed revisions that are not needed any more`,
  );
}

/** The revisions whose objects may be on the cluster: the last deployed one and all later ones. */
function liveRevisions(revisions: readonly StoredRevision[]): StoredRevision[] {
  const deployed = lastRevision(revisions.filter(({ status }) => status === 'deployed'));
  const from = deployed?.version ?? lastRevision(revisions)?.version ?? 0;
  return revisions.filter(({ version, status }) => version >= from || status === 'deployed');
}

/**
 * An upgrade holds all revisions in memory at once: this is enough for three of the largest, or dozens of large ones.
 */
const MAX_HELD_BYTES = 96 * 1024 * 1024;

/**
 * The records of revisions, oldest first. Revisions that were deleted meanwhile are skipped. Throws TerminalError
 * `StateError` if the records are too large to hold.
 */
export async function readRecords(
  context: ActionContext,
  revisions: readonly StoredRevision[],
): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  let held = 0;
  for (const { version, secretName } of liveRevisions(revisions)) {
    const stored = await context.storage.read(version);
    if (stored === undefined) continue;
    records.push(stored);
    held += stored.bytes ?? 0;
    if (held > MAX_HELD_BYTES) throw tooMuchHeld(context, secretName);
  }
  return records;
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
