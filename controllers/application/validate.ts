import type { Application } from '../../api/v1alpha1/application.js';
import type { Deps } from './deps.js';
import { BY_RELEASE } from './mappings.js';
import { precedes } from './model/ownership.js';
import { claimsRelease, resolve, validOf, wantedOf, type Validation } from './model/validate.js';
import { valuesViolations, valuesQuestion } from './model/values-check.js';
import { templateView } from './templates.js';

/** Validates an Application on its own, regardless of its children and of other Applications. */
export async function validate(application: Application, deps: Deps): Promise<Validation> {
  const { rules, templates, checkSchema } = deps;
  const resolved = resolve(application, templateView(templates), rules);
  if (resolved === 'pending' || 'violation' in resolved) return resolved;
  const valid = validOf(resolved);
  const { helm } = resolved;
  const question = valuesQuestion(valid.entries, helm);
  if (question === undefined || helm === undefined) return valid;
  const result = await checkSchema(question, application.metadata.namespace ?? '');
  return validOf(resolved, valuesViolations(valid.entries, helm, result));
}

/**
 * The older Applications that keep this one from a release that nobody holds, by the index value of the release.
 * Applications of one release are of one namespace.
 */
export async function olderClaims(
  application: Application,
  validation: Validation,
  deps: Deps,
): Promise<ReadonlyMap<string, Application>> {
  const validations = new Map<Application, Promise<Validation>>();
  const validated = (other: Application): Promise<Validation> => {
    const known = validations.get(other) ?? validate(other, deps);
    validations.set(other, known);
    return known;
  };
  const found = new Map<string, Application>();
  for (const release of wantedOf(application, validation)) {
    const wanting = deps.applications.byIndex(BY_RELEASE, release);
    for (const other of wanting.filter(({ metadata }) => metadata.deletionTimestamp === undefined)) {
      if (found.has(release) || !precedes(other, application)) continue;
      if (claimsRelease(await validated(other), other.metadata.namespace ?? '', release)) found.set(release, other);
    }
  }
  return found;
}
