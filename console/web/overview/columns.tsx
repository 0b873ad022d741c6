import { useState } from 'preact/hooks';
import type { OverviewQuery } from './model/overview-query.js';
import { Some } from '../parts/some.js';

interface ColumnsProps {
  readonly clusters: readonly string[];
  readonly query: OverviewQuery;
  readonly ask: (query: OverviewQuery) => void;
}

function summaryOf(chosen: number, all: number): string {
  return chosen === 0 ? 'Columns: all clusters, the worst first' : `Columns: ${chosen} of ${all} clusters`;
}

/** Which clusters have a column; rows and counts stay as they are. */
export function Columns({ clusters, query, ask }: ColumnsProps) {
  const [search, setSearch] = useState('');
  const { columns } = query;
  // An early status may not name its cluster, and a URL could not.
  const named = clusters.filter((cluster) => cluster !== '');
  const found = named.filter((cluster) => cluster.includes(search));
  const toggle = (cluster: string): void => {
    const others = columns.filter((each) => each !== cluster);
    ask({ ...query, columns: others.length < columns.length ? others : [...columns, cluster] });
  };
  return (
    <details class="columns">
      <summary>{summaryOf(columns.length, named.length)}</summary>
      <div class="fields">
        <label class="field">
          Find a cluster
          <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
        </label>
        <button type="button" disabled={columns.length === 0} onClick={() => ask({ ...query, columns: [] })}>
          Show all columns
        </button>
      </div>
      <Some items={found} class="checks">
        {(cluster) => (
          <li key={cluster}>
            <label>
              <input type="checkbox" checked={columns.includes(cluster)} onChange={() => toggle(cluster)} /> {cluster}
            </label>
          </li>
        )}
      </Some>
    </details>
  );
}
