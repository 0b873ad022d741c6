import omit from 'lodash/omit.js';
import { lastRevision } from '../model/release.js';
import { timestamp, readRecords } from '../storage.js';
import { deployRevision, type DeployOptions } from './deploy-revision.js';
import type { ActionContext, Outcome } from './context.js';
import { requireObservedRevision, pruneHistory } from './revisions.js';

export interface RollbackOptions extends Omit<DeployOptions, 'before' | 'after' | 'description' | 'failed'> {
  readonly maxHistory: number;
  /** Newest revision when the rollback was decided. */
  readonly observedRevision: number;
  /** Revision to go back to. */
  readonly version: number;
  /** Called after the new revision is stored and before anything is applied. */
  readonly created: () => Promise<void>;
}

/** Creates a revision with the chart, values and manifest of an earlier one, which stays in the history. */
export async function rollback(context: ActionContext, options: RollbackOptions): Promise<Outcome> {
  const { storage } = context;
  const target = await storage.read(options.version);
  if (target === undefined) {
    return { record: undefined, error: `revision ${options.version} is not in Helm's storage any more` };
  }
  const revisions = await requireObservedRevision(context, options.observedRevision);
  const previous = await readRecords(context, revisions);
  // The target may have been uninstalled with kept history.
  const info = omit(target.record.info, 'deleted');
  const stored = await storage.create({
    ...target.record,
    info: {
      ...info,
      last_deployed: timestamp(context),
      status: 'pending-rollback',
      description: `Rollback to ${options.version}`,
      rollback_revision: options.version,
    },
    version: (lastRevision(revisions)?.version ?? 0) + 1,
    // The target may have been applied by another method.
    apply_method: 'ssa',
  });
  await options.created();
  const done = await deployRevision(context, stored, previous, {
    ...options,
    before: 'pre-rollback',
    after: 'post-rollback',
    description: `Rollback to ${options.version}`,
    failed: 'Rollback',
  });
  await pruneHistory(context, [...revisions, stored.revision], options.maxHistory);
  return done;
}
