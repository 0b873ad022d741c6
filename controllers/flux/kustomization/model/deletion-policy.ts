import type { Kustomization } from '#api/flux/kustomization.js';

/** Whether the objects of a Kustomization go with it; one that is suspended, or has none, leaves everything as it is. */
export function deletesObjects({ spec, status }: Pick<Kustomization, 'spec' | 'status'>): boolean {
  if (spec.suspend === true || (status?.inventory?.entries ?? []).length === 0) return false;
  const { deletionPolicy = 'MirrorPrune' } = spec;
  if (deletionPolicy === 'MirrorPrune') return spec.prune;
  return deletionPolicy === 'Delete' || deletionPolicy === 'WaitForTermination';
}
