import type { Overview, OverviewRow } from '#queries/answers/application.js';
import { meaningOf } from '#queries/views/state-meaning.js';
import { listed } from '#lib/text/text.js';
import type { OverviewQuery } from './overview-query.js';
import { clusterName } from '../../parts/model/destinations.js';

/** How many Applications have a state, themselves or on a cluster; one that is good, only if they have no other. */
export interface StateCount {
  readonly state: string;
  readonly applications: number;
}

export interface Shown {
  /** Those that the query asks for, in its order. */
  readonly rows: readonly OverviewRow[];
  /** Indexes of the clusters that have a column, in its order: those that were chosen, or all, the worst first. */
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

/** What of a row counts, found in one pass over its cells: there are many of them. */
interface Keyed {
  readonly row: OverviewRow;
  /** Rank of the worst state of the Application itself and of its destinations. */
  readonly worst: number;
  /** How many clusters have it. */
  readonly many: number;
  /** One bit for the rank of each state that counts: who fails somewhere is not called ready as well. */
  readonly ranks: number;
}

/** Operators on bits know no more; Applications have fewer states. */
const MOST_RANKS = 30;

function bitOf(rank: number): number {
  return rank >= 0 && rank < MOST_RANKS ? 1 << rank : 0;
}

function keyed(row: OverviewRow, ranksOf: ReadonlyMap<string, number>, good: number): Keyed {
  const own = ranksOf.get(row.state);
  let worst = own ?? NEVER;
  let ranks = own === undefined ? 0 : bitOf(own);
  let many = 0;
  for (const [, rank] of row.cells) {
    ranks |= bitOf(rank);
    if (rank < worst) [worst, many] = [rank, 1];
    else if (rank === worst) many += 1;
  }
  const others = ranks & ~good;
  return { row, worst, many, ranks: others === 0 ? ranks : others };
}

const derived = new WeakMap<OverviewRow, Keyed>();

/** Once per row that the server sent: each key that is typed asks for it, and each change. */
function keyedRows({ applications, states }: Overview): readonly Keyed[] {
  const ranksOf = new Map(states.map((state, rank) => [state, rank]));
  const good = states.reduce((bits, state, rank) => (meaningOf(state) === 'good' ? bits | bitOf(rank) : bits), 0);
  return applications.map((row) => {
    const known = derived.get(row);
    if (known !== undefined) return known;
    const made = keyed(row, ranksOf, good);
    derived.set(row, made);
    return made;
  });
}

function sortedBy(rows: readonly Keyed[], sort: string, { clusters }: Overview): OverviewRow[] {
  const plain = rows.map(({ row }) => row);
  if (sort === 'name') return plain.sort(byName);
  if (sort === 'namespace') return plain.sort(byNamespace);
  const column = sort.startsWith('cluster:') ? clusters.indexOf(sort.slice('cluster:'.length)) : -1;
  if (column < 0) {
    return [...rows].sort((a, b) => a.worst - b.worst || b.many - a.many || byName(a.row, b.row)).map(({ row }) => row);
  }
  const rankOn = ({ cells }: OverviewRow): number => cells.find(([cluster]) => cluster === column)?.[1] ?? NEVER;
  const ranked = plain.map((row) => ({ row, rank: rankOn(row) }));
  return ranked.sort((a, b) => a.rank - b.rank || byName(a.row, b.row)).map(({ row }) => row);
}

type RanksOf = (keyed: Keyed) => number;

/** Which states of an Application count: of one cluster that is asked for, only those there. */
function ranksFor({ cluster }: OverviewQuery, { clusters }: Overview): RanksOf {
  if (cluster === '') return ({ ranks }) => ranks;
  const column = clusters.indexOf(cluster);
  return ({ row }) => bitOf(row.cells.find(([each]) => each === column)?.[1] ?? -1);
}

function countsOf(rows: readonly Keyed[], states: readonly string[], ranksOf: RanksOf): StateCount[] {
  const counts = states.map((state, rank) => {
    const bit = bitOf(rank);
    return { state, applications: rows.filter((row) => (ranksOf(row) & bit) !== 0).length };
  });
  return counts.filter(({ applications }) => applications > 0);
}

/** What of a cluster counts: the worst rank there, and how many rows have it. */
interface Column {
  readonly index: number;
  rank: number;
  many: number;
}

/** Those that some row has: the worst first, then by name. */
function worstColumns(rows: readonly OverviewRow[]): number[] {
  const columns = new Map<number, Column>();
  for (const { cells } of rows) {
    for (const [index, rank] of cells) {
      const column = columns.get(index);
      if (column === undefined) columns.set(index, { index, rank, many: 1 });
      else if (rank === column.rank) column.many += 1;
      else if (rank < column.rank) [column.rank, column.many] = [rank, 1];
    }
  }
  const ordered = [...columns.values()].sort((a, b) => a.rank - b.rank || b.many - a.many || a.index - b.index);
  return ordered.map(({ index }) => index);
}

function columnsOf(rows: readonly OverviewRow[], { clusters }: Overview, chosen: readonly string[]): number[] {
  const indexes = chosen.map((cluster) => clusters.indexOf(cluster)).filter((index) => index >= 0);
  return indexes.length > 0 ? indexes : worstColumns(rows);
}

/** Never throws, whatever the query says: what does not exist matches nothing, and sorts by what is worst. */
export function shownRows(overview: Overview, query: OverviewQuery): Shown {
  const { clusters, states } = overview;
  const text = query.search.toLowerCase();
  const column = clusters.indexOf(query.cluster);
  const found = keyedRows(overview).filter(
    ({ row: { namespace, name, cells } }) =>
      (text === '' || `${namespace}/${name}`.includes(text)) &&
      (query.namespace === '' || namespace === query.namespace) &&
      (query.cluster === '' || cells.some(([cluster]) => cluster === column)),
  );
  const ranksOf = ranksFor(query, overview);
  const wanted = query.states.reduce((bits, state) => bits | bitOf(states.indexOf(state)), 0);
  // A state that nobody knows has no rank, but may be asked for.
  const isNamed = ({ row }: Keyed): boolean =>
    query.cluster === '' && !states.includes(row.state) && query.states.includes(row.state);
  const isWanted = (row: Keyed): boolean => (ranksOf(row) & wanted) !== 0 || isNamed(row);
  const filtered = query.states.length === 0 ? found : found.filter(isWanted);
  const rows = sortedBy(filtered, query.sort, overview);
  return { rows, clusters: columnsOf(rows, overview, query.columns), counts: countsOf(found, states, ranksOf) };
}

/** How many destinations have which state, the worst first. */
export function tallyOf({ cells }: OverviewRow, states: readonly string[]): { state: string; destinations: number }[] {
  const counts = new Map<number, number>();
  for (const [, rank, destinations] of cells) counts.set(rank, (counts.get(rank) ?? 0) + destinations);
  const ranks = [...counts.keys()].sort((a, b) => a - b);
  return ranks.map((rank) => ({ state: states[rank] ?? '', destinations: counts.get(rank) ?? 0 }));
}

/** Where an Application is in a state that needs a look. */
export interface FailingClusters {
  readonly state: string;
  /** The first of them by name, and how many others there are. */
  readonly text: string;
  /** Many more of them, for who points at it. */
  readonly title: string;
}

/** More have no room on a card. */
const MOST_NAMED = 3;
const MOST_OF_TITLE = 20;

/** The worst state first; nothing of what is well or moving. */
export function failingClusters({ cells }: OverviewRow, { clusters, states }: Overview): FailingClusters[] {
  const byRank = new Map<number, string[]>();
  for (const [cluster, rank] of cells) {
    if (meaningOf(states[rank] ?? '') !== 'bad') continue;
    byRank.set(rank, [...(byRank.get(rank) ?? []), clusterName(clusters[cluster] ?? '')]);
  }
  const ranks = [...byRank].sort(([a], [b]) => a - b);
  return ranks.map(([rank, names]) => {
    const sorted = names.sort();
    return { state: states[rank] ?? '', text: listed(sorted, MOST_NAMED), title: listed(sorted, MOST_OF_TITLE) };
  });
}
