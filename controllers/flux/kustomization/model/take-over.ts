import type { ManagedFieldsEntry } from '#api/meta.js';

/** As Flux: what users wrote with kubectl, and what an engine wrote before server-side apply, becomes ours. */
export function isTakenOver({ manager = '', operation }: ManagedFieldsEntry, own: string): boolean {
  if (manager.startsWith('kubectl')) return operation === 'Apply' || operation === 'Update';
  return operation === 'Update' && (manager.startsWith('before-first-apply') || manager.startsWith(own));
}
