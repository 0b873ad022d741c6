import { failureOf } from '#engine/flux/failure.js';
import { objectsOfRelease } from '../read-rendered.js';
import { lastRevision } from '../model/release.js';
import { readRecords } from '../storage.js';
import { deployRevision, type DeployOptions } from './deploy-revision.js';
import type { ActionContext, Desired, Outcome } from './context.js';
import { ensureNamespace } from './namespace.js';
import { requireObservedRevision, pruneHistory, newRevision } from './revisions.js';
import { rejectForeign } from './owned-objects.js';

export interface InstallOptions extends Omit<DeployOptions, 'before' | 'after' | 'description' | 'failed' | 'crds'> {
  readonly createNamespace: boolean;
  /** Reject objects that exist already instead of adopting them. */
  readonly disableTakeOwnership: boolean;
  readonly maxHistory: number;
  /** Newest revision when the install was decided; 0 for none. */
  readonly observedRevision: number;
}

/** Creates the first revision, or the next one after an uninstall with kept history. */
export async function install(context: ActionContext, desired: Desired, options: InstallOptions): Promise<Outcome> {
  const error = await failureOf(async () => {
    if (options.createNamespace) await ensureNamespace(context);
    if (options.disableTakeOwnership)
      await rejectForeign(context, await objectsOfRelease(desired.rendered.manifest), 'install');
  });
  if (error !== undefined) return { record: undefined, error };
  const { storage } = context;
  const revisions = await requireObservedRevision(context, options.observedRevision);
  // After an uninstall, an older revision may still have the status deployed. There must not be two.
  const isDeployed = revisions.some(({ status }) => status === 'deployed');
  const previous = isDeployed ? await readRecords(context, revisions) : [];
  const record = newRevision(context, desired, {
    version: (lastRevision(revisions)?.version ?? 0) + 1,
    status: 'pending-install',
    description: 'Initial install underway',
  });
  const stored = await storage.create(record);
  const done = await deployRevision(context, stored, previous, {
    ...options,
    crds: desired.crds,
    before: 'pre-install',
    after: 'post-install',
    description: 'Install complete',
    failed: 'Release',
  });
  await pruneHistory(context, [...revisions, stored.revision], options.maxHistory);
  return done;
}
