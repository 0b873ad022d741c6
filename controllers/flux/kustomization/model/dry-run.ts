import type { PlannedChange } from '#api/dry-run.js';
import type { KustomizationSpec } from '#api/flux/kustomization.js';

/** True if values of the build may come from Secrets, whose readers may be fewer than those of the status. */
export function hidesValues({ decryption, postBuild }: Pick<KustomizationSpec, 'decryption' | 'postBuild'>): boolean {
  const sources = postBuild?.substituteFrom ?? [];
  return decryption !== undefined || sources.some(({ kind }) => kind === 'Secret');
}

/** What would be deleted, as it is listed next to other changes: nothing is pruned while one of them fails. */
export function withHeldBack(changes: readonly PlannedChange[], deletions: readonly PlannedChange[]): PlannedChange[] {
  const isHeldBack = changes.some(({ action }) => action === 'failed');
  if (!isHeldBack) return [...deletions];
  return deletions.map((deletion) => {
    const notes = [deletion.message, 'only once no object fails'].filter((note) => note !== undefined);
    return deletion.action === 'deleted' ? { ...deletion, message: notes.join('; ') } : deletion;
  });
}
