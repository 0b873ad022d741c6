import { type AskProps } from '../navigation/navigation.js';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Overview } from '#queries/answers/application.js';
import { COLUMNS_BEFORE, tabOf, MatrixRow, ROW_HEIGHT } from './matrix-row.js';
import type { OverviewQuery } from './model/overview-query.js';
import { drawnItems, isSameDrawn, mostDrawn, type Drawn, HEADS, scrolledTo, type GridCell } from './model/grid.js';
import type { Shown } from './model/shown-rows.js';
import { useGridFocus } from './use-grid-focus.js';
import { useViewport, type Viewport } from './use-viewport.js';
import { clusterName } from '../parts/model/destinations.js';

interface MatrixHeadsProps extends AskProps<OverviewQuery> {
  readonly overview: Overview;
  /** Indexes of the clusters with a column, of which those from `first` up to `end` are drawn. */
  readonly clusters: readonly number[];
  readonly first: number;
  readonly end: number;
  /** The column that can be reached with Tab; -1 if it is in another row. */
  readonly active: number;
}

const BEFORE = [
  { title: 'Application', style: 'name' },
  { title: 'State', style: 'state' },
  { title: 'Ready', style: 'ready' },
];

function MatrixHeads({ overview, clusters, first, end, query, ask, active }: MatrixHeadsProps) {
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

export interface MatrixProps extends AskProps<OverviewQuery> {
  readonly overview: Overview;
  readonly shown: Shown;
}

/** In rem, as in matrix.css: where columns start, the last of which is that of the first cluster; and the width of one. */
const STARTS = [0, 15, 24.5, 29.5] as const;
const CLUSTER_WIDTH = 9.5;

function startOf(column: number): number {
  return STARTS[column] ?? STARTS[COLUMNS_BEFORE] + (column - COLUMNS_BEFORE) * CLUSTER_WIDTH;
}

function pixelsPerRem(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}

interface DrawnCells {
  readonly rows: Drawn;
  readonly columns: Drawn;
  /** Elements of rows: one that is not seen any longer becomes another row. */
  readonly slots: number;
}

function isSame(left: DrawnCells, right: DrawnCells): boolean {
  return isSameDrawn(left.rows, right.rows) && isSameDrawn(left.columns, right.columns) && left.slots === right.slots;
}

/** The cells to draw: those that can be seen, and some around them. */
function useDrawnCells({ rows, clusters }: Shown) {
  const [rem] = useState(pixelsPerRem);
  const derive = ({ top, left, height, width }: Viewport): DrawnCells => {
    const at = left - startOf(COLUMNS_BEFORE) * rem;
    return {
      rows: drawnItems({ at: top, room: height, size: ROW_HEIGHT, items: rows.length }, 'rows'),
      columns: drawnItems({ at, room: width, size: CLUSTER_WIDTH * rem, items: clusters.length }, 'columns'),
      slots: mostDrawn({ room: height, size: ROW_HEIGHT }, 'rows'),
    };
  };
  const { element, look, drawn } = useViewport<HTMLDivElement, DrawnCells>(derive, isSame);
  const show = ({ row, column }: GridCell): void => {
    const { current } = element;
    if (current === null) return;
    const start = startOf(column) * rem;
    const across = { start, size: startOf(column + 1) * rem - start, covered: STARTS[1] * rem };
    const down = { start: (row + 1) * ROW_HEIGHT, size: ROW_HEIGHT, covered: ROW_HEIGHT };
    // The first column and the heads can always be seen.
    if (column > 0) current.scrollLeft = scrolledTo(across, current.scrollLeft, current.clientWidth);
    if (row !== HEADS) current.scrollTop = scrolledTo(down, current.scrollTop, current.clientHeight);
    look();
  };
  const page = (): number => Math.floor((element.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2;
  return { element, drawn, show, page };
}

/** Those that can be seen, in their order, and the one that has the focus. */
function rowsToDraw({ first, end }: Drawn, kept: number | undefined): number[] {
  const indexes = Array.from({ length: end - first }, (_, offset) => first + offset);
  if (kept === undefined || (kept >= first && kept < end)) return indexes;
  return kept < first ? [kept, ...indexes] : [...indexes, kept];
}

/** A column per cluster. Only the cells that can be seen are in the page, however many there are. */
export function WideMatrix({ overview, shown, query, ask }: MatrixProps) {
  const { rows, clusters } = shown;
  const { element, drawn, show, page } = useDrawnCells(shown);
  const { first, end } = drawn.columns;
  const grid = useRef<HTMLDivElement>(null);
  const keys = useMemo(() => rows.map(({ namespace, name }) => `${namespace}/${name}`), [rows]);
  const columns = clusters.length + COLUMNS_BEFORE;
  const isDrawn = (column: number): boolean =>
    column < COLUMNS_BEFORE || (column >= first + COLUMNS_BEFORE && column < end + COLUMNS_BEFORE);
  const { row: activeRow, column, isUsed, ...handlers } = useGridFocus({ grid, keys, columns, page, show, isDrawn });
  const activeIn = (row: number): number => (row === activeRow ? column : -1);
  const kept = isUsed && activeRow !== HEADS ? activeRow : undefined;
  const cells = { clusters, overview, first, end };
  const headCells = { ...cells, query, ask, active: activeIn(HEADS) };
  const heads = useMemo(() => <MatrixHeads {...headCells} />, Object.values(headCells));
  const isWhole = first === 0 && end === clusters.length;
  return (
    <div ref={element} class="matrix" tabIndex={-1}>
      <div
        ref={grid}
        role="grid"
        class={isWhole ? 'whole' : ''}
        aria-label="Applications by clusters"
        aria-rowcount={rows.length + 1}
        aria-colcount={columns}
        style={{ minWidth: `${startOf(columns)}rem`, '--before': `${first * CLUSTER_WIDTH}rem` }}
        {...handlers}
      >
        <div role="rowgroup" class="heads">
          {heads}
        </div>
        <div role="rowgroup" class="rows" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
          {rowsToDraw(drawn.rows, kept).map((index) => {
            const row = rows[index];
            const isKept = index === kept && (index < drawn.rows.first || index >= drawn.rows.end);
            const key = isKept ? 'kept' : index % drawn.slots;
            return row === undefined ? null : (
              <MatrixRow key={key} {...cells} row={row} index={index} active={activeIn(index)} />
            );
          })}
        </div>
      </div>
    </div>
  );
}
