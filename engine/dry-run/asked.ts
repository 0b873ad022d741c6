import type { KubeObject } from '#api/meta.js';
import { DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';

/**
 * True if the annotation asks for a dry run. Every value but `false` does: one that is misspelled must not write what
 * its user only wanted to see.
 */
export function asksForDryRun({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  const value = metadata.annotations?.[DRY_RUN_ANNOTATION];
  return value !== undefined && value.trim().toLowerCase() !== 'false';
}
