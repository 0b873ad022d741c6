import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { movedBy, HEADS, type GridCell, type GridSize } from './model/grid.js';

interface GridFocusOptions {
  readonly grid: RefObject<HTMLElement | null>;
  readonly keys: readonly string[];
  readonly columns: number;
  /** Rows that can be seen at once. */
  readonly page: () => number;
  /** Scrolls so that it can be seen, and has it drawn. */
  readonly show: (cell: GridCell) => void;
  /** Of those that scroll. */
  readonly isDrawn: (column: number) => boolean;
}

/** What of a cell takes the focus: what acts on a key, or else the cell. */
function targetIn(grid: HTMLElement, { row, column }: GridCell): HTMLElement | undefined {
  const cell = grid.querySelector<HTMLElement>(`[aria-rowindex="${row + 2}"] > [aria-colindex="${column + 1}"]`);
  return cell?.querySelector<HTMLElement>('a, button') ?? cell ?? undefined;
}

function cellOf(element: Element): GridCell | undefined {
  const numberOf = (name: string): number => Number(element.closest(`[${name}]`)?.getAttribute(name));
  const [row, column] = [numberOf('aria-rowindex'), numberOf('aria-colindex')];
  return row > 0 && column > 0 ? { row: row - 2, column: column - 1 } : undefined;
}

interface Active {
  /** Of the row; empty for that of the heads; undefined before anybody was here. */
  readonly key: string | undefined;
  readonly column: number;
}

/** The row of a key; where it was, if there is none any longer. */
function useRowOf(keys: readonly string[], key: string | undefined): number {
  const last = useRef(0);
  if (key === undefined) return 0;
  if (key === '') return HEADS;
  if (keys[last.current] !== key) {
    const found = keys.indexOf(key);
    last.current = found >= 0 ? found : Math.max(0, Math.min(last.current, keys.length - 1));
  }
  return last.current;
}

/**
 * One cell can be reached with Tab, the others from there with the arrow keys. The focus stays with an Application,
 * wherever its row goes, and although elements of rows become those of others; so that row has to be drawn.
 */
export function useGridFocus({ grid, keys, columns, page, show, isDrawn }: GridFocusOptions) {
  const [{ key, column: wish }, set] = useState<Active>({ key: undefined, column: 0 });
  const wanted = useRef(false);
  const row = useRowOf(keys, key);
  const column = isDrawn(wish) ? wish : 0;
  // Before anything is drawn: what is taken out of the page loses the focus without a word.
  const had = grid.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    const { current } = grid;
    if (current === null) return;
    if (wanted.current) show({ row, column: wish });
    const target = targetIn(current, { row, column });
    if (target === undefined || (!had && !wanted.current)) return;
    if (column === wish) wanted.current = false;
    if (target !== document.activeElement) target.focus({ preventScroll: true });
  });
  const go = (cell: GridCell): void => set({ key: keys[cell.row] ?? '', column: cell.column });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.metaKey || event.shiftKey) return;
    const size: GridSize = { rows: keys.length, columns, page: page() };
    const to = movedBy(event, { row, column: wish }, size);
    if (to === undefined) return;
    event.preventDefault();
    wanted.current = true;
    go(to);
  };
  const onFocusIn = ({ target }: FocusEvent): void => {
    const cell = target instanceof Element && !wanted.current ? cellOf(target) : undefined;
    if (cell !== undefined && (cell.row !== row || cell.column !== wish)) go(cell);
  };
  return { row, column, isUsed: key !== undefined, onKeyDown, onFocusIn };
}
