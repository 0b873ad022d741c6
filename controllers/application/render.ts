import type { Application } from '../../api/v1alpha1/application.js';
import { clusterView } from './clusters.js';
import type { ExplainDeps } from './explain.js';
import { selectionWarnings } from './model/clusters/selection-warning.js';
import { desiredChild } from './model/desired.js';
import { rejectedEntries } from './model/reject.js';
import type { Child, Entry, Violation } from './model/types.js';
import { validate } from './model/validate.js';
import { withValues } from './observe.js';
import { templateView } from './templates.js';

/** The children of an Application that has none yet. */
export interface Rendered {
  readonly children: readonly Child[];
  readonly rejected: readonly { readonly entry: Entry; readonly violation: Violation }[];
  readonly warnings: readonly string[];
}

/**
 * The children that a reconciliation would create of everything that an Application wants, whatever it would wait for.
 * Pending: a template was not validated yet.
 */
export async function renderApplication(
  application: Application,
  deps: ExplainDeps,
  signal: AbortSignal,
): Promise<Rendered | { readonly violation: Violation } | 'pending'> {
  const view = { templates: templateView(deps.templates), clusters: clusterView(deps.inventory) };
  const validation = validate(application, view, deps.rules);
  if (validation === 'pending' || 'violation' in validation) return validation;
  const { namespace: tenant = '' } = application.metadata;
  const { valid } = await withValues(validation, deps, { tenant, signal });
  const { entries, resolved, violationOf, warnings } = valid;
  const rejected = rejectedEntries(entries, undefined, violationOf);
  const names = new Set<string>();
  const isTaken = (name: string): boolean => names.has(name);
  const children: Child[] = [];
  for (const entry of entries) {
    if (rejected.some((each) => each.entry === entry)) continue;
    const { object } = desiredChild(resolved.application, entry, undefined, { isTaken });
    names.add(object.metadata.name);
    children.push(object);
  }
  const more = [resolved.warning, ...selectionWarnings(valid.selections, []), ...warnings];
  return { children, rejected, warnings: more.filter((each) => each !== undefined) };
}
