import type { KustomizationSpec } from '#api/flux/kustomization.js';

/** True if values of the build may come from Secrets, whose readers may be fewer than those of the status. */
export function hidesValues({ decryption, postBuild }: Pick<KustomizationSpec, 'decryption' | 'postBuild'>): boolean {
  const sources = postBuild?.substituteFrom ?? [];
  return decryption !== undefined || sources.some(({ kind }) => kind === 'Secret');
}
