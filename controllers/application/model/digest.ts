import { APPLIED_DIGEST_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child } from './types.js';

/** The digest of what was applied last, or is to be applied. */
export function digestIn(child: Child | undefined): string | undefined {
  return child?.metadata.annotations?.[APPLIED_DIGEST_ANNOTATION];
}
