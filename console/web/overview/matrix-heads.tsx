import type { Overview } from '#queries/views/overview.js';
import { COLUMNS_BEFORE, tabOf } from './matrix-row.js';
import { clusterName, type OverviewQuery } from './model/overview-query.js';

export interface MatrixHeadsProps {
  readonly overview: Overview;
  /** Indexes of the clusters with a column, of which those from `first` up to `end` are drawn. */
  readonly clusters: readonly number[];
  readonly first: number;
  readonly end: number;
  readonly query: OverviewQuery;
  readonly ask: (query: OverviewQuery) => void;
  /** The column that can be reached with Tab; -1 if it is in another row. */
  readonly active: number;
}

const BEFORE = [
  { title: 'Application', style: 'name' },
  { title: 'State', style: 'state' },
  { title: 'Ready', style: 'ready' },
];

export function MatrixHeads({ overview, clusters, first, end, query, ask, active }: MatrixHeadsProps) {
  return (
    <div role="row" aria-rowindex={1} class="row">
      {BEFORE.map(({ title, style }, column) => (
        <div
          key={style}
          role="columnheader"
          aria-colindex={column + 1}
          class={`cell ${style}`}
          tabIndex={tabOf(column === active)}
        >
          {title}
        </div>
      ))}
      {clusters.slice(first, end).map((index, offset) => {
        const column = COLUMNS_BEFORE + first + offset;
        const cluster = overview.clusters[index] ?? '';
        const sort = `cluster:${cluster}`;
        const isSorted = query.sort === sort;
        return (
          <div
            key={index}
            role="columnheader"
            class="cell"
            aria-colindex={column + 1}
            aria-sort={isSorted ? 'ascending' : 'none'}
          >
            <button
              type="button"
              tabIndex={tabOf(column === active)}
              title={`Worst first on ${clusterName(cluster)}`}
              onClick={() => ask({ ...query, sort: isSorted ? 'worst' : sort })}
            >
              {clusterName(cluster)}
            </button>
          </div>
        );
      })}
    </div>
  );
}
