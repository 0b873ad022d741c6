import type { QueryString } from './list-query.js';
import { refuseOtherKeys } from './query-keys.js';
import { Refusal } from './refusal.js';

/** Which revisions are compared. */
export interface DiffQuery {
  readonly from: number;
  readonly to: number;
}

function revisionIn(query: QueryString, key: string): number {
  const { [key]: text } = query;
  if (typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Refusal(400, `${key}: it must be the number of a revision`);
}

/** Throws a Refusal (400) that names the key. */
export function diffQueryOf(query: QueryString): DiffQuery {
  refuseOtherKeys(query, ['from', 'to']);
  return { from: revisionIn(query, 'from'), to: revisionIn(query, 'to') };
}
