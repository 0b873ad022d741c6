import type { Overview, OverviewRow } from '#controllers/read-model/overview.js';
import type { OverviewQuery } from './overview-query.js';

/** How many Applications have a state, themselves or on a cluster. */
export interface StateCount {
  readonly state: string;
  readonly applications: number;
}

export interface Shown {
  /** Those that the query asks for, in its order. */
  readonly rows: readonly OverviewRow[];
  /** Indexes of the clusters that have a column. */
  readonly clusters: readonly number[];
  /** The worst first; those that no Application has are missing. What the query says of states does not count. */
  readonly counts: readonly StateCount[];
}

const NEVER = Number.MAX_SAFE_INTEGER;

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function byName(left: OverviewRow, right: OverviewRow): number {
  return compareTexts(left.name, right.name) || compareTexts(left.namespace, right.namespace);
}

function byNamespace(left: OverviewRow, right: OverviewRow): number {
  return compareTexts(left.namespace, right.namespace) || byName(left, right);
}

/** Rank of the worst state of the Application itself and of its destinations. */
function worstOf({ state, cells }: OverviewRow, states: readonly string[]): number {
  const own = states.indexOf(state);
  return cells.reduce((worst, [, rank]) => Math.min(worst, rank), own < 0 ? NEVER : own);
}

function sortedBy(rows: readonly OverviewRow[], sort: string, { states, clusters }: Overview): OverviewRow[] {
  if (sort === 'name') return [...rows].sort(byName);
  if (sort === 'namespace') return [...rows].sort(byNamespace);
  const column = sort.startsWith('cluster:') ? clusters.indexOf(sort.slice('cluster:'.length)) : -1;
  const rankOn = ({ cells }: OverviewRow): number => cells.find(([cluster]) => cluster === column)?.[1] ?? NEVER;
  const keyed = rows.map((row) => {
    const worst = worstOf(row, states);
    const many = row.cells.filter(([, rank]) => rank === worst).length;
    return { row, key: column < 0 ? worst : rankOn(row), many: column < 0 ? many : 0 };
  });
  keyed.sort((a, b) => a.key - b.key || b.many - a.many || byName(a.row, b.row));
  return keyed.map(({ row }) => row);
}

function statesOf({ state, cells }: OverviewRow, names: readonly string[]): Set<string> {
  return new Set([state, ...cells.map(([, rank]) => names[rank] ?? '')]);
}

function countsOf(rows: readonly OverviewRow[], states: readonly string[]): StateCount[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const state of statesOf(row, states)) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const known = states.filter((state) => counts.has(state));
  return known.map((state) => ({ state, applications: counts.get(state) ?? 0 }));
}

/** Never throws, whatever the query says: what does not exist matches nothing, and sorts by what is worst. */
export function shownRows(overview: Overview, query: OverviewQuery): Shown {
  const { applications, clusters, states } = overview;
  const text = query.search.toLowerCase();
  const column = clusters.indexOf(query.cluster);
  const found = applications.filter(
    ({ namespace, name, cells }) =>
      (text === '' || `${namespace}/${name}`.includes(text)) &&
      (query.namespace === '' || namespace === query.namespace) &&
      (query.cluster === '' || cells.some(([cluster]) => cluster === column)),
  );
  const wanted = (row: OverviewRow): boolean => {
    const own = statesOf(row, states);
    return query.states.some((state) => own.has(state));
  };
  const rows = query.states.length === 0 ? found : found.filter(wanted);
  const used = new Set(rows.flatMap(({ cells }) => cells.map(([cluster]) => cluster)));
  return {
    rows: sortedBy(rows, query.sort, overview),
    clusters: clusters.map((_, index) => index).filter((index) => used.has(index)),
    counts: countsOf(found, states),
  };
}

/** How many destinations have which state, the worst first. */
export function tallyOf({ cells }: OverviewRow, states: readonly string[]): { state: string; destinations: number }[] {
  const counts = new Map<number, number>();
  for (const [, rank, destinations] of cells) counts.set(rank, (counts.get(rank) ?? 0) + destinations);
  const ranks = [...counts.keys()].sort((a, b) => a - b);
  return ranks.map((rank) => ({ state: states[rank] ?? '', destinations: counts.get(rank) ?? 0 }));
}
