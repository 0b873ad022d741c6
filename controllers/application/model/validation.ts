import type { Application } from '../../../api/v1alpha1/application.js';
import { entriesOf } from './entries.js';
import { releaseIndexValue } from './identity.js';
import { rejectedEntries, type FindFlaw } from './reject.js';
import type { TemplateView } from './template-lookup.js';
import { resolveTemplates, type Resolution, type Resolved } from './template-use.js';
import type { Entry, Rules, Violation } from './types.js';
import { findViolation } from './validate.js';

/** An Application that is valid as a whole. */
export interface Valid {
  readonly resolved: Resolved;
  /** With what their templates say. */
  readonly entries: readonly Entry[];
  readonly flawOf: FindFlaw;
}

/** What an Application comes to by itself. Pending: its template will be heard of. */
export type Validation = Valid | { readonly violation: Violation } | 'pending';

/** The first thing that is wrong with an Application as a whole, or the same Application without templates. */
export function resolve(application: Application, view: TemplateView, rules: Rules): Resolution {
  const violation = findViolation(application, rules);
  return violation === undefined ? resolveTemplates(application, view, rules) : { violation };
}

/** The entries of an Application, with what their templates have against them; `invalid` is by the path of an entry. */
export function validOf(resolved: Resolved, invalid: ReadonlyMap<string, Violation> = new Map()): Valid {
  const entries = entriesOf(resolved.application).map((entry) => ({ ...entry, template: resolved.templateOf(entry) }));
  return { resolved, entries, flawOf: ({ path }) => resolved.flaws.get(path) ?? invalid.get(path) };
}

/** Index values of the releases of the entries; none of an Application that is wrong as a whole. */
export function wantedOf({ metadata }: Application, validation: Validation): string[] {
  if (validation === 'pending' || 'violation' in validation) return [];
  const { namespace = '' } = metadata;
  return [...new Set(validation.entries.map(({ release }) => releaseIndexValue(namespace, release)))];
}

/**
 * True when an Application that holds no child of a release (by its index value) keeps younger ones from it: only what
 * would act on the release may. One of whose template nothing is known yet may be about to.
 */
export function claims(validation: Validation, namespace: string, release: string): boolean {
  if (validation === 'pending') return true;
  if ('violation' in validation) return false;
  const { entries, flawOf } = validation;
  const rejected = new Set(rejectedEntries(entries, undefined, flawOf).map(({ entry }) => entry));
  return entries.some((entry) => !rejected.has(entry) && releaseIndexValue(namespace, entry.release) === release);
}
