import { ConflictError } from '#controllers/runtime/pure/errors.js';
import { revisionsToDelete, type StoredRevision } from '../model/release.js';
import type { ActionContext } from './context.js';

/**
 * Deletes revisions beyond the limit. A conflict leaves a revision to the next action: pruning must not prevent the
 * outcome from being reported.
 */
export async function pruneHistory(
  { storage }: Pick<ActionContext, 'storage'>,
  revisions: readonly StoredRevision[],
  maxHistory: number,
): Promise<void> {
  for (const old of revisionsToDelete(revisions, maxHistory)) {
    try {
      await storage.delete(old);
    } catch (error: unknown) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}
