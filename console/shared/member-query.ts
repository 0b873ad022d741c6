import type { DestinationChoice } from '#queries/views/manifest-view.js';
import { defined } from '#lib/plain.js';
import { type QueryString, refuseOtherKeys } from './list-query.js';
import { Refusal } from './refusal.js';

/** What is asked of an Application on its clusters. */
export interface MemberQuery {
  /** Undefined: all. */
  readonly cluster?: string;
}

/** Which output is asked for, in the words of Kubernetes. */
export interface LogsQuery extends MemberQuery {
  readonly pod?: string;
  readonly container?: string;
  readonly follow: boolean;
  readonly previous: boolean;
  /** Lines from the end. */
  readonly tail: number;
}

const LOG_KEYS = ['cluster', 'pod', 'container', 'follow', 'previous', 'tailLines'];
const TAIL_LINES = 1_000;
const MOST_TAIL_LINES = 10_000;

/** Throws a Refusal (400) for a key that is not known, said twice, or empty. */
function textsIn(query: QueryString, keys: readonly string[]): Readonly<Record<string, string | undefined>> {
  refuseOtherKeys(query, keys);
  for (const [key, value] of Object.entries(query)) {
    if (typeof value !== 'string' || value === '') throw new Refusal(400, `${key}: it must have one value`);
  }
  // Each of them is a text, as was just seen.
  return query as Readonly<Record<string, string | undefined>>;
}

function flagOf(key: string, text = 'false'): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Refusal(400, `${key}: it must be true or false`);
}

function linesOf(text = String(TAIL_LINES)): number {
  const lines = /^\d{1,5}$/.test(text) ? Number(text) : Infinity;
  if (lines <= MOST_TAIL_LINES) return lines;
  throw new Refusal(400, `tailLines: it must be a number of lines from 0 to ${MOST_TAIL_LINES}`);
}

/** Throws a Refusal (400) if it cannot be read. */
export function memberQueryOf(query: QueryString): MemberQuery {
  return defined({ cluster: textsIn(query, ['cluster'])['cluster'] });
}

/** Throws a Refusal (400) if it cannot be read. */
export function manifestQueryOf(query: QueryString): DestinationChoice {
  const { cluster, release, child } = textsIn(query, ['cluster', 'release', 'child']);
  return defined({ cluster, release, child });
}

/** Throws a Refusal (400) if it cannot be read. */
export function logsQueryOf(query: QueryString): LogsQuery {
  const { cluster, pod, container, follow, previous, tailLines } = textsIn(query, LOG_KEYS);
  return {
    ...defined({ cluster, pod, container }),
    follow: flagOf('follow', follow),
    previous: flagOf('previous', previous),
    tail: linesOf(tailLines),
  };
}
