import type { Application } from '#api/v1alpha1/application.js';
import { backendOf } from './model/backends/index.js';
import { explain, type Explanation } from './model/destinations/personal-values.js';
import { entryLayers } from './model/destinations/entries.js';
import type { Entry, Violation } from './model/child/types.js';
import { readStated, type StatedDeps } from './simulate.js';

/** One destination, as far as it can be said without its child and without other Applications. */
export interface ExplainedDestination {
  readonly entry: Entry;
  /** Why it is rejected. */
  readonly violation: Violation | undefined;
  readonly explanation: Explanation;
  /** What lies below its values and was not read, the lowest first. */
  readonly unread: readonly string[];
}

export interface ExplainedApplication {
  readonly destinations: readonly ExplainedDestination[];
  /** What users should know. */
  readonly warnings: readonly string[];
}

/**
 * Where each value of each destination is from: as a reconciliation computes them, which does not happen. Pending: a
 * template was not validated yet.
 */
export async function explainApplication(
  application: Application,
  deps: StatedDeps,
  signal: AbortSignal,
): Promise<ExplainedApplication | { readonly violation: Violation } | 'pending'> {
  const stated = await readStated(application, deps, signal);
  if (stated === 'pending' || 'violation' in stated) return stated;
  const { valid, rendered, rejected, warnings } = stated;
  const { entries, resolved } = valid;
  const violations = new Map(rejected.map(({ entry, violation }) => [entry, violation] as const));
  const layers = entryLayers(application, resolved.templateOf);
  const destinations = entries.map((entry) => ({
    entry,
    violation: violations.get(entry),
    explanation: explain({ entry, below: layers.get(entry.specPath) ?? [], rendered: rendered.get(entry.path) }),
    unread: backendOf(entry.release).unreadValues(resolved.application, entry),
  }));
  return { destinations, warnings };
}
