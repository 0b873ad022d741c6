import type { InventoryEntry } from '#api/flux/common.js';
import type { KustomizationSpec } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import isEqual from 'lodash/isEqual.js';
import { inventoryEntry } from '#controllers/engine/apply/model/inventory.js';
import type { Change, Synchronization } from './types.js';

/** Of the planned checks, those that follow what was applied: `wait` does not wait for what was left in place. */
export function checksAfter(
  { wait }: Pick<KustomizationSpec, 'wait'>,
  { checks }: Pick<Synchronization, 'checks'>,
  changes: readonly Change[],
): readonly Unstructured[] {
  if (wait !== true) return checks;
  const skipped = new Set(changes.flatMap(({ id, action }) => (action === 'skipped' ? [id] : [])));
  return checks.filter((object) => !skipped.has(inventoryEntry(object).id));
}

/** True when a pass ends with the inventory that it began with, to the letter. */
export function keepsInventory(
  { inventory }: Pick<Synchronization, 'inventory'>,
  known: readonly InventoryEntry[],
): boolean {
  return isEqual(inventory, known);
}
