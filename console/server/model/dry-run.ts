import type { QueryString } from './list-query.js';
import { Refusal } from './refusal.js';

/** True with `dryRun=All`, as Kubernetes has it: the API server checks, and writes nothing. */
export function isDryRun({ dryRun }: QueryString): boolean {
  const said = [dryRun ?? []].flat();
  if (said.length === 0) return false;
  if (said.every((each) => each === 'All')) return true;
  throw new Refusal(400, `dryRun is ${JSON.stringify(said.join(','))}, and only All is known`);
}

/**
 * The same for a query that may say nothing else: a key that is misspelt must not carry out what was only to be checked.
 * Throws a Refusal (400) for each one that is not known.
 */
export function dryRunIn(query: QueryString): boolean {
  const odd = Object.keys(query).find((key) => key !== 'dryRun');
  if (odd !== undefined) throw new Refusal(400, `${JSON.stringify(odd)} is no key of this query; only dryRun is`);
  return isDryRun(query);
}
