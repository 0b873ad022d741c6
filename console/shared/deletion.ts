import type { QueryString } from './list-query.js';
import { isDryRun } from './dry-run.js';
import { refuseOtherKeys } from './query-keys.js';
import { Refusal } from './refusal.js';

const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;

/** How a deletion was asked for, in the words of Kubernetes. */
export interface Deletion {
  readonly propagationPolicy?: (typeof POLICIES)[number];
  /** It is refused if the object is another one by now. */
  readonly resourceVersion?: string;
  readonly dryRun: boolean;
}

const KEYS: readonly string[] = ['propagationPolicy', 'resourceVersion', 'dryRun'];

/**
 * Reads the query of a deletion. A key that is misspelt must not delete what was meant to stay: throws a Refusal (400)
 * for each one that is not known.
 */
export function deletionIn(query: QueryString): Deletion {
  refuseOtherKeys(query, KEYS);
  const { propagationPolicy: policy, resourceVersion } = query;
  const propagationPolicy = POLICIES.find((each) => each === policy);
  if (policy !== undefined && propagationPolicy === undefined) {
    throw new Refusal(400, `propagationPolicy: choose from ${POLICIES.join(', ')}`);
  }
  if (resourceVersion !== undefined && (typeof resourceVersion !== 'string' || resourceVersion === '')) {
    throw new Refusal(400, 'resourceVersion: it must be that of the Application');
  }
  return {
    dryRun: isDryRun(query),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
