import { meaningOf } from '#queries/views/state-meaning.js';
import type { Overview, OverviewRow, OverviewUpdate } from '#queries/answers/application.js';
import { keyOf } from '#lib/kube/keys.js';
import { queryText, textsIn } from '../../navigation/model/query.js';

/** The filters of the page of all Applications; the URL keeps them, so that they can be shared. */
export interface OverviewQuery {
  /** Part of a name or namespace. */
  readonly search: string;
  /** States of which an Application, or one of its destinations, has one; none: all. */
  readonly states: readonly string[];
  readonly namespace: string;
  readonly cluster: string;
  /** `worst`, `name`, `namespace`, or `cluster:NAME`. */
  readonly sort: string;
  /** Clusters that have a column; none: all. */
  readonly columns: readonly string[];
}

export const ALL: OverviewQuery = { search: '', states: [], namespace: '', cluster: '', sort: 'worst', columns: [] };

/** More does not fit into a URL. */
const MOST_COLUMNS = 100;

function namesIn(text: string): string[] {
  return text.split(',').filter((each) => each !== '');
}

/** Reads the query of a URL, without `?`. */
export function overviewQueryOf(search: string): OverviewQuery {
  const { state, sort, ...texts } = textsIn(search, ['search', 'state', 'namespace', 'cluster', 'sort']);
  const { columns } = textsIn(search, ['columns'], Infinity);
  return {
    ...{ ...texts, states: namesIn(state), sort: /^(name|namespace|cluster:.+)$/s.test(sort) ? sort : ALL.sort },
    columns: [...new Set(namesIn(columns))].slice(0, MOST_COLUMNS),
  };
}

/** The part of a URL behind its path; empty if it asks for nothing. */
export function searchOf({ search, states, namespace, cluster, sort, columns }: OverviewQuery): string {
  const order = sort === ALL.sort ? '' : sort;
  const [state, shown] = [states.join(','), columns.join(',')];
  return queryText({ search, state, namespace, cluster, sort: order, columns: shown });
}

const PATH = '/api/v1/overview';

/** Rows that did not change stay the same objects, and nothing changed is the same overview. */
function merged(before: Overview, { changed, removed }: OverviewUpdate): Overview {
  if (changed.length === 0 && removed.length === 0) return before;
  const fresh = new Map(changed.map((row) => [keyOf(row), row]));
  const gone = new Set(removed);
  const rows: OverviewRow[] = [];
  for (const row of before.applications) {
    const key = keyOf(row);
    if (!gone.has(key)) rows.push(fresh.get(key) ?? row);
    fresh.delete(key);
  }
  return { ...before, applications: [...rows, ...fresh.values()] };
}

/** All Applications by clusters, and how to ask only for what changed in it. */
export const OVERVIEW = {
  path: PATH,
  updates: {
    path: (tag: string): string => `${PATH}?since=${encodeURIComponent(tag.replaceAll('"', ''))}`,
    merged: (before: Overview, answer: Overview | OverviewUpdate): Overview =>
      'applications' in answer ? answer : merged(before, answer),
  },
};

/** Which Applications the count of a state is of. `cluster`: only what they are there counts; empty: anywhere. */
export function countWords(state: string, cluster: string): string {
  if (cluster !== '') return `Applications that are ${state} on ${cluster}`;
  const isGood = meaningOf(state) === 'good';
  return `Applications that are ${state}${isGood ? ', and nowhere worse' : ' as a whole or on a cluster'}`;
}
