import type { QueryString } from './list-query.js';
import { refuseOtherKeys } from './query-keys.js';
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
