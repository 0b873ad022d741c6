import { useMemo } from 'preact/hooks';
import type { Overview, OverviewRow } from '#queries/answers/application.js';
import { meaningOf } from '#queries/views/state-meaning.js';
import { applicationPath } from '../navigation/model/place.js';
import { treePage } from '../application/model/tree.js';
import { Link } from '../navigation/navigation.js';
import { markText } from '../parts/state.js';

/** Pixels, as in matrix.css. */
export const ROW_HEIGHT = 44;
/** What an Application is: its name, its state and how much of it is ready. */
export const COLUMNS_BEFORE = 3;

interface RowNameProps {
  readonly row: OverviewRow;
  readonly tabIndex?: number;
}

export function RowName({ row: { namespace, name }, tabIndex = 0 }: RowNameProps) {
  return (
    <Link to={applicationPath({ namespace, name })} title={`${namespace}/${name}`} tabIndex={tabIndex}>
      <span class="of">{namespace}/</span>
      {name}
    </Link>
  );
}

interface CellProps {
  readonly row: OverviewRow;
  /** Index of the cluster. */
  readonly cluster: number;
  readonly column: number;
  readonly overview: Overview;
  readonly isActive: boolean;
}

/** Only one cell of the grid can be reached with Tab. */
export const tabOf = (isActive: boolean): number => (isActive ? 0 : -1);

/** The worst state there, and of how many. */
function stateOn(cluster: number, { cells }: OverviewRow, { states }: Overview) {
  const [, rank = -1, destinations = 0] = cells.find(([index]) => index === cluster) ?? [];
  return { state: states[rank] ?? '', destinations };
}

/**
 * Called, and no component: many of them are drawn in a frame. What fails leads to what runs on the cluster; links to
 * all that is well would be in the way.
 */
function drawCell({ row, cluster, column, overview, isActive }: CellProps) {
  const { state, destinations } = stateOn(cluster, row, overview);
  const isOfMany = destinations > 1;
  const place = { key: cluster, role: 'gridcell' as const, 'aria-colindex': column + 1 };
  if (destinations === 0) return <div {...place} class="cell" tabIndex={tabOf(isActive)} />;
  const meaning = meaningOf(state);
  const text = markText(state, state === 'Ready' && !isOfMany);
  const many = isOfMany && <span class="many"> worst of {destinations}</span>;
  const classes = `cell mark ${meaning}${isOfMany ? ' of-many' : ''}`;
  const label = isOfMany ? `${state}, worst of ${destinations}` : state;
  if (meaning !== 'bad') {
    return (
      <div {...place} class={classes} aria-label={label} tabIndex={tabOf(isActive)}>
        {text}
        {many}
      </div>
    );
  }
  return (
    <div {...place} class={classes}>
      <Link
        to={treePage(row, overview.clusters[cluster] ?? '')}
        class={meaning}
        label={label}
        tabIndex={tabOf(isActive)}
      >
        {text}
      </Link>
      {many}
    </div>
  );
}

export interface MatrixRowProps {
  readonly row: OverviewRow;
  readonly index: number;
  /** Indexes of the clusters with a column, of which those from `first` up to `end` are drawn. */
  readonly clusters: readonly number[];
  readonly first: number;
  readonly end: number;
  readonly overview: Overview;
  /** The column that can be reached with Tab; -1 if it is in another row. */
  readonly active: number;
}

function drawRow({ row, index, clusters, first, end, overview, active }: MatrixRowProps) {
  return (
    <div role="row" aria-rowindex={index + 2} class="row" style={{ top: `${index * ROW_HEIGHT}px` }}>
      <div role="rowheader" aria-colindex={1} class="cell name">
        <RowName row={row} tabIndex={tabOf(active === 0)} />
      </div>
      <div
        role="gridcell"
        aria-colindex={2}
        class={`cell state mark ${meaningOf(row.state)}`}
        aria-label={row.state}
        title={row.message}
        tabIndex={tabOf(active === 1)}
      >
        {markText(row.state)}
      </div>
      <div role="gridcell" aria-colindex={3} class="cell ready" tabIndex={tabOf(active === 2)}>
        {row.ready}
      </div>
      {clusters.slice(first, end).map((cluster, offset) => {
        const column = COLUMNS_BEFORE + first + offset;
        return drawCell({ row, cluster, column, overview, isActive: column === active });
      })}
    </div>
  );
}

/** Drawn once: what is the same for the next frame is not even compared. */
export function MatrixRow(props: MatrixRowProps) {
  const { row, index, clusters, first, end, overview, active } = props;
  const { clusters: names, states } = overview;
  return useMemo(() => drawRow(props), [row, index, clusters, first, end, names, states, active]);
}
