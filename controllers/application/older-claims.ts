import type { Application } from '../../api/v1alpha1/application.js';
import type { Deps } from './deps.js';
import { BY_RELEASE } from './mappings.js';
import { precedes } from './model/ownership.js';
import { claimsRelease, wantedOf, type Validation } from './model/validate.js';
import { validate } from './validate.js';

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
