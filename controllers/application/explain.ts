import type { Application } from '../../api/v1alpha1/application.js';
import { clusterView, type InventoryCaches } from './clusters.js';
import { backendOf } from './model/backends/index.js';
import { explain, type Explanation } from './model/clusters/explain.js';
import { selectionWarnings } from './model/clusters/selection-warning.js';
import { entryLayers } from './model/entries.js';
import { rejectedEntries } from './model/reject.js';
import type { Entry, Rules, Violation } from './model/types.js';
import { validate } from './model/validate.js';
import { withValues, type ValuesDeps } from './observe.js';
import { templateView, type TemplateCaches } from './templates.js';

/** What an explanation reads. */
export interface ExplainDeps extends ValuesDeps {
  readonly rules: Rules;
  readonly templates: TemplateCaches;
  readonly inventory: InventoryCaches;
}

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
  deps: ExplainDeps,
  signal: AbortSignal,
): Promise<ExplainedApplication | { readonly violation: Violation } | 'pending'> {
  const view = { templates: templateView(deps.templates), clusters: clusterView(deps.inventory) };
  const validation = validate(application, view, deps.rules);
  if (validation === 'pending' || 'violation' in validation) return validation;
  const { namespace: tenant = '' } = application.metadata;
  const { valid, rendered } = await withValues(validation, deps, { tenant, signal });
  const { entries, resolved, violationOf, warnings } = valid;
  const violations = new Map(
    rejectedEntries(entries, undefined, violationOf).map(({ entry, violation }) => [entry, violation] as const),
  );
  const layers = entryLayers(application, resolved.templateOf);
  const destinations = entries.map((entry) => ({
    entry,
    violation: violations.get(entry),
    explanation: explain({ entry, below: layers.get(entry.specPath) ?? [], rendered: rendered.get(entry.path) }),
    unread: backendOf(entry.release).unreadValues(resolved.application, entry),
  }));
  // What could not be read is said by whoever reads.
  const selected = selectionWarnings(valid.selections, []);
  const more = [resolved.warning, ...selected, ...warnings].filter((warning) => warning !== undefined);
  return { destinations, warnings: more };
}
