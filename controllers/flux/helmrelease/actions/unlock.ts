import { describeUnlocked, isPending, withStatus } from '../model/release.js';
import type { ActionContext, Outcome } from './context.js';

/** Marks a revision as failed that an interrupted action left pending. `was`: its status before. */
export async function unlock(context: ActionContext, version: number): Promise<Outcome & { readonly was?: string }> {
  const stored = await context.storage.read(version);
  if (stored === undefined || !isPending(stored.record.info.status)) return { record: stored?.record };
  const was = stored.record.info.status;
  const record = withStatus(stored.record, 'failed', describeUnlocked(was));
  await context.storage.update(stored, record);
  return { record, was };
}
