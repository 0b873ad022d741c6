import type { Application } from '../../api/v1alpha1/application.js';
import type { Pending } from '../../api/v1alpha1/pending.js';
import { clusterView } from './clusters.js';
import type { Pass } from './deps.js';
import { PendingMemory, pendingRows } from './model/status/pending.js';
import { decide, outcomesBefore } from './model/decide.js';
import { observe } from './observe.js';
import { resolve } from './resolve.js';

/** What waits, or why that is not known. */
export type CurrentlyPending = { readonly rows: Pending['destinations'] } | { readonly unknown: string };

/**
 * All destinations of an Application that wait, by its objects as they are: as a reconciliation decides, which does not
 * happen. Since when is only said where the status knows it, and else empty.
 */
export async function currentlyPending(application: Application, pass: Pass): Promise<CurrentlyPending> {
  const { rollout, removals } = application.status ?? {};
  const resolved = await resolve(application, pass);
  if (resolved === 'pending') return { unknown: 'its template has no status yet' };
  const { validation } = resolved;
  if ('violation' in validation) return { unknown: `it is rejected: ${validation.violation.message}` };
  const [lost] = validation.selections.length === 0 ? [] : clusterView(pass.inventory).lost;
  if (lost !== undefined) return { unknown: lost };
  const plan = decide(observe(application, resolved, pass));
  const rows = plan.rowsAfter(outcomesBefore(plan.steps)) ?? [];
  return { rows: pendingRows(rows, new PendingMemory({ rollout, removals, before: application.status, now: '' })) };
}
