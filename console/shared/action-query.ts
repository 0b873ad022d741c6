import { isDryRun } from './dry-run.js';
import type { QueryString } from './list-query.js';
import { refuseOtherKeys } from './query-keys.js';
import { Refusal } from './refusal.js';

/** How an action is asked for. */
export interface ActionQuery {
  readonly dryRun: boolean;
  /** It is refused if the name is that of another object by now. */
  readonly uid?: string;
}

const KEYS: readonly string[] = ['dryRun', 'uid'];

/** Reads the query of an action. Throws a Refusal (400) for a key that is not known. */
export function actionQueryIn(query: QueryString): ActionQuery {
  refuseOtherKeys(query, KEYS);
  const { uid } = query;
  if (uid === undefined) return { dryRun: isDryRun(query) };
  if (typeof uid !== 'string' || uid === '') throw new Refusal(400, 'uid: it must be that of the Application');
  return { dryRun: isDryRun(query), uid };
}
