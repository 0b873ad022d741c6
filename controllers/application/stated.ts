import type { Application } from '../../api/v1alpha1/application.js';
import { clusterView, type InventoryCaches } from './clusters.js';
import { selectionWarnings } from './model/destinations/expand.js';
import { rejectedEntries } from './model/destinations/rejected.js';
import type { Entry, RejectedEntry, Rules, Violation } from './model/child/types.js';
import { validate } from './model/destinations/validate.js';
import { templateView, type TemplateCaches } from './templates.js';
import { withValues, type Personalized, type ValuesDeps } from './values.js';

/** What is read to know what an Application states. */
export interface StatedDeps extends ValuesDeps {
  readonly rules: Rules;
  readonly templates: TemplateCaches;
  readonly inventory: InventoryCaches;
  /** Those that are asked for, before their values are made; what it throws is thrown. Default: all. */
  readonly narrow?: (entries: readonly Entry[]) => readonly Entry[];
}

/** What an Application states of its destinations, as far as it can be said without children and other Applications. */
export interface Stated extends Pick<Personalized, 'valid' | 'rendered'> {
  readonly rejected: readonly RejectedEntry[];
  /** What users should know. */
  readonly warnings: readonly string[];
}

/** As a reconciliation computes it, which does not happen. Pending: a template was not validated yet. */
export async function readStated(
  application: Application,
  deps: StatedDeps,
  signal: AbortSignal,
): Promise<Stated | { readonly violation: Violation } | 'pending'> {
  const view = { templates: templateView(deps.templates), clusters: clusterView(deps.inventory) };
  const validation = validate(application, view, deps.rules);
  if (validation === 'pending' || 'violation' in validation) return validation;
  const { namespace: tenant = '' } = application.metadata;
  const asked = new Set(deps.narrow?.(validation.entries) ?? validation.entries);
  const others = validation.entries.filter((entry) => !asked.has(entry));
  const { valid, rendered } = await withValues({ ...validation, entries: [...asked] }, deps, { tenant, signal });
  const { entries, resolved, selections, violationOf, warnings } = valid;
  const rejected = rejectedEntries([...entries, ...others], undefined, violationOf);
  const answered = new Set(entries);
  // What could not be read is said by whoever reads.
  const more = [resolved.warning, ...selectionWarnings(selections, []), ...warnings];
  return {
    ...{ valid, rendered },
    rejected: rejected.filter(({ entry }) => answered.has(entry)),
    warnings: more.filter((warning) => warning !== undefined),
  };
}
