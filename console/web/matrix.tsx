import { useMemo } from 'preact/hooks';
import type { Overview, OverviewRow } from '#controllers/read-model/overview.js';
import { meaningOf } from '#controllers/read-model/state-meaning.js';
import { clusterName, type OverviewQuery } from './model/overview-query.js';
import { applicationPath } from './model/place.js';
import { tallyOf, type Shown } from './model/shown-rows.js';
import { treePage } from './model/tree-query.js';
import { Link } from './navigation.js';
import { State } from './state.js';
import { useNarrow, useRowWindow } from './use-viewport.js';

interface MatrixProps {
  readonly overview: Overview;
  readonly shown: Shown;
  readonly query: OverviewQuery;
  readonly ask: (query: OverviewQuery) => void;
}

/** Pixels, as in style.css. */
const ROW = 44;
const NARROW_ROW = 96;
const COLUMNS_BEFORE = 3;
/** In rem, as in style.css: all that comes before the clusters, and one of them. */
const BEFORE_WIDTH = 29.5;
const CLUSTER_WIDTH = 9.5;

function Name({ row: { namespace, name } }: { row: OverviewRow }) {
  return (
    <Link to={applicationPath({ namespace, name })} title={`${namespace}/${name}`}>
      <span class="of">{namespace}/</span>
      {name}
    </Link>
  );
}

/** What fails leads to what runs on the cluster; links to all that is well would be in the way of the keyboard. */
function CellState({ row, state, cluster }: { row: OverviewRow; state: string; cluster: string }) {
  if (meaningOf(state) !== 'bad') return <State state={state} quiet={state === 'Ready'} />;
  return (
    <Link to={treePage(row, cluster)}>
      <State state={state} />
    </Link>
  );
}

interface RowProps {
  readonly row: OverviewRow;
  readonly index: number;
  readonly clusters: readonly number[];
  readonly overview: Overview;
}

/** Drawn once: what is the same for the next frame is not even compared. */
function Row(props: RowProps) {
  const { row, index, clusters, overview } = props;
  return useMemo(() => <Cells {...props} />, [row, index, clusters, overview]);
}

function Cells({ row, index, clusters, overview }: RowProps) {
  const cells = new Map(row.cells.map(([cluster, rank, destinations]) => [cluster, { rank, destinations }]));
  return (
    <tr aria-rowindex={index + 2}>
      <th scope="row" class="name">
        <Name row={row} />
      </th>
      <td class="state" title={row.message}>
        <State state={row.state} />
      </td>
      <td class="ready">{row.ready}</td>
      {clusters.map((cluster) => {
        const cell = cells.get(cluster);
        if (cell === undefined) return <td key={cluster} />;
        const state = overview.states[cell.rank] ?? '';
        return (
          <td key={cluster}>
            <CellState row={row} state={state} cluster={overview.clusters[cluster] ?? ''} />
            {cell.destinations > 1 ? <span class="many"> worst of {cell.destinations}</span> : null}
          </td>
        );
      })}
    </tr>
  );
}

function Heads({ overview, shown, query, ask }: MatrixProps) {
  return (
    <tr aria-rowindex={1}>
      <th scope="col" class="name">
        Application
      </th>
      <th scope="col" class="state">
        State
      </th>
      <th scope="col" class="ready">
        Ready
      </th>
      {shown.clusters.map((index) => {
        const cluster = overview.clusters[index] ?? '';
        const sort = `cluster:${cluster}`;
        const isSorted = query.sort === sort;
        return (
          <th key={index} scope="col" aria-sort={isSorted ? 'ascending' : 'none'}>
            <button
              type="button"
              title={`Worst first on ${clusterName(cluster)}`}
              onClick={() => ask({ ...query, sort: isSorted ? 'worst' : sort })}
            >
              {clusterName(cluster)}
            </button>
          </th>
        );
      })}
    </tr>
  );
}

function Gap({ pixels }: { pixels: number }) {
  return pixels === 0 ? null : <tr aria-hidden="true" class="gap" style={{ height: `${pixels}px` }} />;
}

function WideMatrix(props: MatrixProps) {
  const { overview, shown } = props;
  const { rows, clusters } = shown;
  const { element, first, end, before, after } = useRowWindow<HTMLDivElement>(ROW, rows.length);
  const heads = useMemo(() => <Heads {...props} />, [props]);
  // Without a width, a browser measures each cell again whenever one comes or goes.
  const width = `${BEFORE_WIDTH + clusters.length * CLUSTER_WIDTH}rem`;
  return (
    <div ref={element} class="matrix" role="region" aria-label="Applications by clusters" tabIndex={0}>
      <table style={{ width }} aria-rowcount={rows.length + 1} aria-colcount={clusters.length + COLUMNS_BEFORE}>
        <thead>{heads}</thead>
        <tbody>
          <Gap pixels={before} />
          {rows.slice(first, end).map((row, offset) => (
            <Row key={`${row.namespace}/${row.name}`} {...{ row, clusters, overview }} index={first + offset} />
          ))}
          <Gap pixels={after} />
        </tbody>
      </table>
    </div>
  );
}

function Card({ row, states }: { row: OverviewRow; states: readonly string[] }) {
  return (
    <li>
      <Name row={row} />
      <p>
        <State state={row.state} /> {row.ready}
      </p>
      <p class="tally">
        {tallyOf(row, states).map(({ state, destinations }) => (
          <span key={state}>
            {destinations} <State state={state} />{' '}
          </span>
        ))}
      </p>
    </li>
  );
}

/** Without room for a column per cluster: how many are in which state. */
function NarrowMatrix({ overview, shown: { rows } }: MatrixProps) {
  const { element, first, end, before, after } = useRowWindow<HTMLDivElement>(NARROW_ROW, rows.length);
  return (
    <div ref={element} class="matrix" role="region" aria-label="Applications" tabIndex={0}>
      <ul style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
        {rows.slice(first, end).map((row) => (
          <Card key={`${row.namespace}/${row.name}`} row={row} states={overview.states} />
        ))}
      </ul>
    </div>
  );
}

/** Only the rows that can be seen are in the page, however many there are. */
export function Matrix(props: MatrixProps) {
  return useNarrow() ? <NarrowMatrix {...props} /> : <WideMatrix {...props} />;
}
