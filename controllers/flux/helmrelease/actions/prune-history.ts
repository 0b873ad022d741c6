import { ConflictError } from '#controllers/runtime/pure/errors.js';
import { revisionsToForget, type StoredRevision } from '../model/release.js';
import type { ActionContext } from './context.js';

/**
 * Forgets the revisions that an action left beyond the limit. One that somebody else has written meanwhile is left to
 * the next action: tidying up must not cost the status its memory of what was done.
 */
export async function pruneHistory(
  { storage }: Pick<ActionContext, 'storage'>,
  revisions: readonly StoredRevision[],
  maxHistory: number,
): Promise<void> {
  for (const old of revisionsToForget(revisions, maxHistory)) {
    try {
      await storage.forget(old);
    } catch (error: unknown) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}
