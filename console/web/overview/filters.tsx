import { type AskProps } from '../navigation/navigation.js';
import { useState, useMemo } from 'preact/hooks';
import type { Overview } from '#queries/answers/application.js';
import { type OverviewQuery, countWords } from './model/overview-query.js';
import { Some } from '../parts/lists.js';
import { Choice, SearchField } from '../parts/fields.js';
import type { StateCount } from './model/shown-rows.js';
import { State } from '../parts/state.js';
import { useNarrow } from './use-viewport.js';
import { clusterName } from '../parts/model/destinations.js';

interface ColumnsProps extends AskProps<OverviewQuery> {
  readonly clusters: readonly string[];
}

function summaryOf(chosen: number, all: number): string {
  return chosen === 0 ? 'Columns: all clusters, the worst first' : `Columns: ${chosen} of ${all} clusters`;
}

/** Which clusters have a column; rows and counts stay as they are. */
function Columns({ clusters, query, ask }: ColumnsProps) {
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
        <SearchField label="Find a cluster" value={search} find={setSearch} />
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

interface FiltersProps extends AskProps<OverviewQuery> {
  readonly overview: Overview;
  readonly counts: readonly StateCount[];
}

/** Counts that filter: one of several states is enough. */
function StateFilter({ query, counts, ask }: Omit<FiltersProps, 'overview'>) {
  const absent = query.states.filter((state) => counts.every((count) => count.state !== state));
  const all = [...counts, ...absent.map((state) => ({ state, applications: 0 }))];
  const toggle = (state: string): void => {
    const isOn = query.states.includes(state);
    ask({ ...query, states: isOn ? query.states.filter((each) => each !== state) : [...query.states, state] });
  };
  return (
    <div
      class="chips"
      role="group"
      aria-label={`Applications by state${query.cluster === '' ? '' : ` on ${query.cluster}`}`}
    >
      {all.map(({ state, applications }) => (
        <button
          key={state}
          type="button"
          class="chip"
          aria-pressed={query.states.includes(state)}
          title={countWords(state, query.cluster)}
          onClick={() => toggle(state)}
        >
          <State state={state} /> <span class="count">{applications}</span>
        </button>
      ))}
    </div>
  );
}

export function Filters({ overview, query, counts, ask }: FiltersProps) {
  const isNarrow = useNarrow();
  const namespaces = useMemo(
    () => [...new Set(overview.applications.map(({ namespace }) => namespace))].sort(),
    [overview],
  );
  const clusters = overview.clusters.map((cluster) => [cluster, clusterName(cluster)] as const);
  const sorts = clusters.map(([cluster, name]) => [`cluster:${cluster}`, `State on ${name}`] as const);
  return (
    <>
      <StateFilter {...{ query, counts, ask }} />
      <div class="fields">
        <SearchField value={query.search} find={(search) => ask({ ...query, search })} />
        <Choice
          label="Namespace"
          value={query.namespace}
          choices={[['', 'All'], ...namespaces]}
          choose={(namespace) => ask({ ...query, namespace })}
        />
        <Choice
          label="Cluster"
          value={query.cluster}
          choices={[['', 'All'], ...clusters]}
          choose={(cluster) => ask({ ...query, cluster })}
        />
        <Choice
          label="Sort"
          value={query.sort}
          choices={[['worst', 'Worst first'], ['name', 'Name'], ['namespace', 'Namespace'], ...sorts]}
          choose={(sort) => ask({ ...query, sort })}
        />
      </div>
      {isNarrow ? null : <Columns clusters={overview.clusters} query={query} ask={ask} />}
    </>
  );
}
