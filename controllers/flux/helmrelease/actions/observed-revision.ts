import { ConflictError } from '#controllers/runtime/pure/errors.js';
import { lastRevision, type StoredRevision } from '../model/release.js';
import type { ActionContext } from './context.js';

/**
 * The revisions in storage, if the newest is still the observed one (0: none). Throws ConflictError otherwise: another
 * owner, or helm by hand, was faster, and a new revision would hide theirs.
 */
export async function requireObservedRevision(context: ActionContext, version: number): Promise<StoredRevision[]> {
  const revisions = await context.storage.revisions();
  const newest = lastRevision(revisions)?.version ?? 0;
  if (newest === version) return revisions;
  throw new ConflictError(
    `release ${context.releaseName} has revision ${newest}; the action was decided on ${version}`,
  );
}
