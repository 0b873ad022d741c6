import { listed } from '#lib/text/text.js';
import type { QueryString } from './list-query.js';
import { Refusal } from './refusal.js';

const NAMED = 20;

/**
 * Throws a Refusal (400) for the first key that is not known: one that is misspelt must not carry out what was only to
 * be checked, and what filters nothing must not look like all.
 */
export function refuseOtherKeys(query: QueryString, known: readonly string[]): void {
  const odd = Object.keys(query).find((key) => !known.includes(key));
  if (odd === undefined) return;
  const wayOut = known.length === 0 ? 'it has none' : `choose from ${listed(known, NAMED)}`;
  throw new Refusal(400, `${JSON.stringify(odd)} is no key of this query; ${wayOut}`);
}
