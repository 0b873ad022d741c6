import type { Application } from '../../api/v1alpha1/application.js';
import { freeChildName } from './model/destinations/identity.js';
import { desiredChild } from './model/children/desired.js';
import type { Child, RejectedEntry, Violation } from './model/child/types.js';
import { readStated, type StatedDeps } from './stated.js';

/** The children of an Application that has none yet. */
export interface Rendered {
  readonly children: readonly Child[];
  readonly rejected: readonly RejectedEntry[];
  readonly warnings: readonly string[];
}

/**
 * The children that a reconciliation would create of everything that an Application wants, whatever it would wait for.
 * Pending: a template was not validated yet.
 */
export async function renderApplication(
  application: Application,
  deps: StatedDeps,
  signal: AbortSignal,
): Promise<Rendered | { readonly violation: Violation } | 'pending'> {
  const stated = await readStated(application, deps, signal);
  if (stated === 'pending' || 'violation' in stated) return stated;
  const { valid, rejected, warnings } = stated;
  const refused = new Set(rejected.map(({ entry }) => entry));
  const names = new Set<string>();
  const isTaken = (name: string): boolean => names.has(name);
  const children = valid.entries.flatMap((entry) => {
    if (refused.has(entry)) return [];
    const name = freeChildName([application.metadata.name, entry.key], entry.release, isTaken);
    const { object } = desiredChild(valid.resolved.application, entry, undefined, { name });
    names.add(name);
    return [object];
  });
  return { children, rejected, warnings };
}
