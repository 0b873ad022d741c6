import type { Application } from '../../api/v1alpha1/application.js';
import type { Pass } from './context.js';
import { judge } from './judge.js';
import { BY_RELEASE } from './mappings.js';
import { claims, type Judgement } from './model/claims.js';
import { precedes } from './model/ownership.js';

/**
 * The older Applications that keep this one from a release that nobody holds, by the index value of the release.
 * Applications of one release are of one namespace.
 */
export async function olderClaims(
  application: Application,
  releases: readonly string[],
  pass: Pass,
): Promise<ReadonlyMap<string, Application>> {
  const judgements = new Map<Application, Promise<Judgement>>();
  const judged = (other: Application): Promise<Judgement> => {
    const judgement = judgements.get(other) ?? judge(other, pass);
    judgements.set(other, judgement);
    return judgement;
  };
  const found = new Map<string, Application>();
  for (const release of releases) {
    const wanting = pass.applications.byIndex(BY_RELEASE, release);
    for (const other of wanting.filter(({ metadata }) => metadata.deletionTimestamp === undefined)) {
      if (found.has(release) || !precedes(other, application)) continue;
      if (claims(await judged(other), other.metadata.namespace ?? '', release)) found.set(release, other);
    }
  }
  return found;
}
