import type { Overview, OverviewRow, OverviewUpdate } from '#queries/views/overview.js';
import { keyOf } from '#lib/kube/keys.js';

/** What the page of all Applications shows; it is kept in its URL, so that it can be shared. */
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

/** More is no name. */
const MOST_CHARACTERS = 512;
/** More does not fit into a URL. */
const MOST_COLUMNS = 100;

function textsOf(text: string): string[] {
  return text.split(',').filter((each) => each !== '');
}

/** Of the part of a URL behind `?`. What it does not know, it ignores: a link of another version still works. */
export function overviewQueryOf(search: string): OverviewQuery {
  const params = new URLSearchParams(search);
  const textOf = (key: string): string => (params.get(key) ?? '').slice(0, MOST_CHARACTERS);
  const sort = textOf('sort');
  return {
    search: textOf('search'),
    states: textsOf(textOf('state')),
    namespace: textOf('namespace'),
    cluster: textOf('cluster'),
    sort: /^(name|namespace|cluster:.+)$/s.test(sort) ? sort : ALL.sort,
    columns: [...new Set(textsOf(params.get('columns') ?? ''))].slice(0, MOST_COLUMNS),
  };
}

/** The part of a URL behind its path; empty if it asks for nothing. */
export function searchOf({ search, states, namespace, cluster, sort, columns }: OverviewQuery): string {
  const params = new URLSearchParams();
  const order = sort === ALL.sort ? '' : sort;
  const asked = { search, state: states.join(','), namespace, cluster, sort: order, columns: columns.join(',') };
  for (const [key, value] of Object.entries(asked)) {
    if (value !== '') params.set(key, value);
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** An early status may not name the cluster. */
export function clusterName(cluster: string): string {
  return cluster === '' ? 'unknown' : cluster;
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
