import { lastRevision, revisionsToForget, type StoredRevision } from '../model/release.js';
import type { StoredRecord } from '../storage.js';
import { bringUp, type BringUpOptions } from './bring-up.js';
import { isInterruption, reasonText, type ActionContext, type Desired, type Outcome } from './context.js';
import { applyCrds, type CrdPolicy } from './crds.js';
import { revisionsDecidedOn } from './decided-on.js';
import { newRevision } from './new-revision.js';

export interface UpgradeOptions extends Omit<BringUpOptions, 'before' | 'after' | 'description' | 'failed'> {
  readonly crds: CrdPolicy;
  readonly maxHistory: number;
  /** Newest revision when the upgrade was decided. */
  readonly decidedOn: number;
}

/** The revisions whose objects may be on the cluster: the last deployed one and all that came after it. */
function liveRevisions(revisions: readonly StoredRevision[]): StoredRevision[] {
  const deployed = lastRevision(revisions.filter(({ status }) => status === 'deployed'));
  const from = deployed?.version ?? lastRevision(revisions)?.version ?? 0;
  return revisions.filter(({ version, status }) => version >= from || status === 'deployed');
}

/** Records behind revisions, oldest first; one that disappeared meanwhile is left out. */
export async function readRecords(
  context: ActionContext,
  revisions: readonly StoredRevision[],
): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for (const { version } of liveRevisions(revisions)) {
    const stored = await context.storage.read(version);
    if (stored !== undefined) records.push(stored);
  }
  return records;
}

/** The next revision. Objects of earlier revisions that it does not have are deleted. */
export async function upgrade(context: ActionContext, desired: Desired, options: UpgradeOptions): Promise<Outcome> {
  try {
    await applyCrds(context, desired.rendered.crds, options.crds);
  } catch (error: unknown) {
    if (isInterruption(error)) throw error;
    return { record: undefined, error: reasonText(error) };
  }
  const { storage } = context;
  const revisions = await revisionsDecidedOn(context, options.decidedOn);
  const previous = await readRecords(context, revisions);
  const record = newRevision(context, desired, {
    version: (lastRevision(revisions)?.version ?? 0) + 1,
    status: 'pending-upgrade',
    description: 'Preparing upgrade',
    firstDeployed: previous[0]?.record.info.first_deployed,
  });
  const stored = await storage.create(record);
  const done = await bringUp(context, stored, previous, {
    ...options,
    before: 'pre-upgrade',
    after: 'post-upgrade',
    description: 'Upgrade complete',
    failed: 'Upgrade',
  });
  for (const old of revisionsToForget([...revisions, stored.revision], options.maxHistory)) await storage.forget(old);
  return done;
}
