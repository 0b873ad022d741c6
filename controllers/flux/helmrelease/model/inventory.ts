import type { InventoryEntry } from '#api/flux/common.js';

const CRD = /_apiextensions\.k8s\.io_CustomResourceDefinition$/;

/** Inventory after an action that may have failed midway. CRDs are never deleted, so known ones stay listed. */
export function keepCrds(known: readonly InventoryEntry[], entries: readonly InventoryEntry[]): InventoryEntry[] {
  const ids = new Set(entries.map(({ id }) => id));
  return [...known.filter(({ id }) => CRD.test(id) && !ids.has(id)), ...entries];
}
