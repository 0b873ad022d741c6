import { type QueryString, refuseOtherKeys } from './list-query.js';
import { Refusal } from './refusal.js';

/** True with `dryRun=All`, as Kubernetes has it: the API server checks, and writes nothing. */
export function isDryRun({ dryRun }: QueryString): boolean {
  const said = [dryRun ?? []].flat();
  if (said.length === 0) return false;
  if (said.every((each) => each === 'All')) return true;
  throw new Refusal(400, `dryRun is ${JSON.stringify(said.join(','))}, and only All is known`);
}

/** The same for a query that may say nothing else: throws a Refusal (400) if it does. */
export function dryRunIn(query: QueryString): boolean {
  refuseOtherKeys(query, ['dryRun']);
  return isDryRun(query);
}

/** How an action is asked for. */
export interface ActionQuery {
  readonly dryRun: boolean;
  /** It is refused if the name is that of another object by now. */
  readonly uid?: string;
}

const ACTION_KEYS: readonly string[] = ['dryRun', 'uid'];

/** Reads the query of an action. Throws a Refusal (400) for a key that is not known. */
export function actionQueryIn(query: QueryString): ActionQuery {
  refuseOtherKeys(query, ACTION_KEYS);
  const { uid } = query;
  if (uid === undefined) return { dryRun: isDryRun(query) };
  if (typeof uid !== 'string' || uid === '') throw new Refusal(400, 'uid: it must be that of the Application');
  return { dryRun: isDryRun(query), uid };
}

const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;

/** How a deletion was asked for, in the words of Kubernetes. */
export interface Deletion {
  readonly propagationPolicy?: (typeof POLICIES)[number];
  /** It is refused if the object is another one by now. */
  readonly resourceVersion?: string;
  readonly dryRun: boolean;
}

const DELETION_KEYS: readonly string[] = ['propagationPolicy', 'resourceVersion', 'dryRun'];

/**
 * Reads the query of a deletion. A key that is misspelt must not delete what was meant to stay: throws a Refusal (400)
 * for each one that is not known.
 */
export function deletionIn(query: QueryString): Deletion {
  refuseOtherKeys(query, DELETION_KEYS);
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
