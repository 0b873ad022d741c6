import omit from 'lodash/omit.js';
import type { InventoryEntry } from '#api/flux/common.js';
import type { KustomizationStatus } from '#api/flux/kustomization.js';
import { withCondition, withoutConditions, type PassMoment } from '#engine/flux/model/progress.js';
import type { NewEvent } from '#engine/flux/model/types.js';
import { inventoryEntry } from '#engine/member/model/inventory.js';
import { getCondition } from '#lib/kube/conditions.js';
import { listed } from '#lib/text/text.js';
import { keptIds, notOwnedIn, TARGET_TAKEN } from './holders.js';
import type { Acted } from './types.js';

/** Type of the condition about objects that other Kustomizations apply as well. */
const SHARED = 'ObjectsShared';
const MOST_SHARED = 5;
const MOST_LEFT = 100;
/** The API server stores no object of more than 1.5 MiB. */
const MOST_NOT_OWNED = 1_000;

type NotOwned = NonNullable<KustomizationStatus['notOwned']>[number];

/** A line that says why an object stays. */
export function leftLine(subject: string, why: string): string {
  return `${subject} is left in place: ${why}`;
}

function withNotOwned(status: KustomizationStatus, notOwned: readonly NotOwned[]): KustomizationStatus {
  return { ...omit(status, 'notOwned'), ...(notOwned.length === 0 ? {} : { notOwned: [...notOwned] }) };
}

/** The status once nothing keeps these objects from being applied: they are ours before they are written. */
export function claiming(status: KustomizationStatus, applied: ReadonlySet<string>): KustomizationStatus {
  const { notOwned = [] } = status;
  return withNotOwned(
    status,
    notOwned.filter(({ id }) => !applied.has(id)),
  );
}

/** Ids of objects that are skipped and are not ours. */
function skippedIds(before: KustomizationStatus, { changes, skipped: others = [] }: Acted): string[] {
  const [kept, done] = [keptIds({ status: before }), new Map(changes.map(({ id, action }) => [id, action]))];
  const still = notOwnedIn({ status: before }, 'Skipped').filter(({ id }) => !done.has(id));
  const skipped = changes.filter(({ id, action }) => action === 'skipped' && !kept.has(id));
  return [...[...still, ...skipped].map(({ id }) => id), ...others];
}

/** The status with the objects that a pass waits for, leaves to others, or skips. `before`: the one that it began with. */
export function afterOthers(
  status: KustomizationStatus,
  { before, acted, inventory }: { before: KustomizationStatus; acted: Acted; inventory: readonly InventoryEntry[] },
): KustomizationStatus {
  const ids = new Set(inventory.map(({ id }) => id));
  const left = [...(acted.left?.keys() ?? [])].filter((id) => ids.has(id));
  const waiting = (acted.taken ?? []).map(({ object, holder }) => ({ id: inventoryEntry(object).id, holder }));
  const skipped = skippedIds(before, acted).filter((id) => ids.has(id));
  const all: NotOwned[] = [
    ...left.map((id) => ({ id, state: 'Leaving' as const })),
    ...waiting.map(({ id, holder }) => ({ id, state: 'Waiting' as const, holder })),
    ...skipped.map((id) => ({ id, state: 'Skipped' as const })),
  ];
  return withNotOwned(status, all.slice(0, MOST_NOT_OWNED));
}

/** The status with what is shared; after a failure with what was known before. */
export function withShared(status: KustomizationStatus, { shared }: Acted, moment: PassMoment): KustomizationStatus {
  if (shared === undefined) return status;
  if (shared.length === 0) return withoutConditions(status, SHARED);
  const message = `applied by others as well: ${listed(shared, MOST_SHARED)}; remove each from all sources but one`;
  return withCondition(status, moment, { type: SHARED, status: 'True', reason: TARGET_TAKEN, message });
}

/** Events about other Kustomizations; what is shared, or left to them, as before is no news. */
export function othersEvents(before: KustomizationStatus, next: KustomizationStatus, { left }: Acted): NewEvent[] {
  const [was, now] = [before, next].map((each) => getCondition(each.conditions, SHARED));
  const isNews = now !== undefined && now.message !== was?.message;
  const known = new Set(notOwnedIn({ status: before }, 'Leaving').map(({ id }) => id));
  const lines = [...(left ?? [])].flatMap(([id, line]) => (known.has(id) ? [] : [line]));
  const message = lines.slice(0, MOST_LEFT).join('\n');
  return [
    ...(isNews ? [{ type: 'Warning' as const, reason: now.reason, message: now.message }] : []),
    ...(message === '' ? [] : [{ type: 'Warning' as const, reason: 'PruneSkipped', message }]),
  ];
}
