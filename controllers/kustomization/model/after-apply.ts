import isEqual from 'lodash/isEqual.js';
import type { InventoryEntry } from '#api/flux/common.js';
import type { KustomizationSpec } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { inventoryEntry, staleEntries } from '#engine/member/model/inventory.js';
import type { Acted, Change, Synchronization } from './types.js';

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

/** One that is unchanged has our labels already. */
const OURS: readonly Change['action'][] = ['created', 'configured', 'unchanged'];

/**
 * The inventory once a pass has ended: what is there, and what may be. After an apply that failed that is what was there
 * before, what was written or is unchanged, and what got no answer. What the cluster refused to create is not remembered: each revision
 * that fails would leave its own behind, and prune could fail for ever on what was never there. After a failed prune it
 * is the build, and what is still to be pruned.
 */
export function inventoryAfter(
  { inventory, ahead }: Pick<Synchronization, 'inventory' | 'ahead'>,
  { problem, changes, unanswered = [], cleared = [], left = [] }: Acted,
  before: readonly InventoryEntry[],
): readonly InventoryEntry[] {
  if (problem === undefined || problem.reason === 'HealthCheckFailed') return inventory;
  if (problem.reason === 'PruneFailed') {
    const done = new Set(cleared);
    return ahead.filter(({ id }) => !done.has(id));
  }
  const ours = changes.filter(({ action }) => OURS.includes(action));
  const possible = new Set([...before, ...ours].map(({ id }) => id).concat(unanswered));
  for (const id of left) possible.delete(id);
  return ahead.filter(({ id }) => possible.has(id));
}

/**
 * The claims once a pass has ended: all of the build that it does not have, whoever has it, from when it
 * waits for an object of another one until nothing fails.
 */
export function claimsAfter(
  { inventory: build }: Pick<Synchronization, 'inventory'>,
  { problem }: Acted,
  { inventory, claims = [] }: { inventory: readonly InventoryEntry[]; claims?: readonly InventoryEntry[] | undefined },
): InventoryEntry[] {
  const isWaiting = problem?.reason === 'TargetTaken' || (problem !== undefined && claims.length > 0);
  return isWaiting ? staleEntries(build, inventory) : [];
}
