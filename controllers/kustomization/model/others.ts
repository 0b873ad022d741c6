import pick from 'lodash/pick.js';
import type { KustomizationStatus } from '#api/flux/kustomization.js';
import { withCondition, withoutConditions, type PassMoment } from '#engine/flux/model/progress.js';
import type { NewEvent } from '#engine/flux/model/types.js';
import { inventoryEntry } from '#engine/member/model/inventory.js';
import { getCondition } from '#lib/kube/conditions.js';
import { listed } from '#lib/text/text.js';
import { TARGET_TAKEN } from './holders.js';
import type { Acted, Plan } from './types.js';

/** Type of the condition about objects that other Kustomizations apply as well. */
const SHARED = 'ObjectsShared';
const MOST_SHARED = 5;
const MOST_LEFT = 100;

/** The status with what is shared; after a failure with what was known before. */
export function withShared(status: KustomizationStatus, { shared }: Acted, moment: PassMoment): KustomizationStatus {
  if (shared === undefined) return status;
  if (shared.length === 0) return withoutConditions(status, SHARED);
  const message = `applied by others as well: ${listed(shared, MOST_SHARED)}; remove each from all sources but one`;
  return withCondition(status, moment, { type: SHARED, status: 'True', reason: TARGET_TAKEN, message });
}

/** Events about other Kustomizations; what is shared as before is no news. */
export function othersEvents(
  before: KustomizationStatus | undefined,
  next: KustomizationStatus,
  { left }: Acted,
): NewEvent[] {
  const [was, now] = [before, next].map((each) => getCondition(each?.conditions, SHARED));
  const isNews = now !== undefined && now.message !== was?.message;
  const message = [...(left?.values() ?? [])].slice(0, MOST_LEFT).join('\n');
  return [
    ...(isNews ? [{ type: 'Warning' as const, reason: now.reason, message: now.message }] : []),
    ...(message === '' ? [] : [{ type: 'Warning' as const, reason: 'PruneSkipped', message }]),
  ];
}

/** The objects that are waited for. A build that is refused says nothing of them. */
export function waitingOf(
  status: KustomizationStatus,
  decision: Plan['decision'],
  { taken = [] }: Acted,
): Pick<KustomizationStatus, 'waitingFor'> {
  if (decision.kind === 'reject') return pick(status, 'waitingFor');
  return taken.length === 0 ? {} : { waitingFor: taken.map(inventoryEntry) };
}
