import { releaseIndexValue } from './identity.js';
import { rejectedEntries, type FindFlaw } from './reject.js';
import type { Resolved } from './template-use.js';
import type { Entry, Violation } from './types.js';

/** An Application that is valid as a whole. */
export interface Sound {
  readonly resolved: Resolved;
  /** With what their templates say. */
  readonly entries: readonly Entry[];
  readonly flawOf: FindFlaw;
}

/** What an Application comes to by itself. Pending: its template will be heard of. */
export type Judgement = Sound | { readonly violation: Violation } | 'pending';

/**
 * True when an Application that holds no child of a release (by its index value) keeps younger ones from it: only what
 * would act on the release may. One of whose template nothing is known yet may be about to.
 */
export function claims(judgement: Judgement, namespace: string, release: string): boolean {
  if (judgement === 'pending') return true;
  if ('violation' in judgement) return false;
  const { entries, flawOf } = judgement;
  const rejected = new Set(rejectedEntries(entries, undefined, flawOf).map(({ entry }) => entry));
  return entries.some((entry) => !rejected.has(entry) && releaseIndexValue(namespace, entry.release) === release);
}
