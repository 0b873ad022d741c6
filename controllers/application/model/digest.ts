import { APPLIED_DIGEST_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child, DesiredChild } from './types.js';

/** The digest of what was applied last, or is to be applied. */
export function digestIn(child: Child | undefined): string | undefined {
  return child?.metadata.annotations?.[APPLIED_DIGEST_ANNOTATION];
}

/** True for a child that was written as it is desired. */
export function isAt(live: Child | undefined, desired: DesiredChild | undefined): boolean {
  return live !== undefined && desired?.held === undefined && digestIn(live) === digestIn(desired?.object);
}
