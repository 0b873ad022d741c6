/** Of a grid; the row of its heads is -1. */
export interface GridCell {
  readonly row: number;
  readonly column: number;
}

export const HEADS = -1;

export interface GridSize {
  /** Without that of the heads. */
  readonly rows: number;
  readonly columns: number;
  /** Rows that can be seen at once. */
  readonly page: number;
}

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
}

function within({ row, column }: GridCell, { rows, columns }: GridSize): GridCell {
  return {
    row: Math.max(HEADS, Math.min(row, rows - 1)),
    column: Math.max(0, Math.min(column, columns - 1)),
  };
}

function steppedBy({ key, ctrlKey }: Key, { row, column }: GridCell, { rows, columns, page }: GridSize) {
  switch (key) {
    case 'ArrowUp':
      return { row: row - 1, column };
    case 'ArrowDown':
      return { row: row + 1, column };
    case 'ArrowLeft':
      return { row, column: column - 1 };
    case 'ArrowRight':
      return { row, column: column + 1 };
    case 'PageUp':
      return { row: row - Math.max(1, page), column };
    case 'PageDown':
      return { row: row + Math.max(1, page), column };
    case 'Home':
      return { row: ctrlKey ? 0 : row, column: 0 };
    case 'End':
      return { row: ctrlKey ? rows - 1 : row, column: columns - 1 };
    default:
      return undefined;
  }
}

/** Where a key leads, as in the grid of the WAI-ARIA practices; undefined if the key is for something else. */
export function movedBy(key: Key, from: GridCell, size: GridSize): GridCell | undefined {
  const to = steppedBy(key, from, size);
  return to === undefined ? undefined : within(to, size);
}

/** Pixels: a part of what scrolls, and what covers the start of what can be seen. */
export interface Stretch {
  readonly start: number;
  readonly size: number;
  readonly covered: number;
}

/** The least that has to be scrolled so that all of the stretch can be seen, or its start if it is too long. */
export function scrolledTo({ start, size, covered }: Stretch, at: number, room: number): number {
  const most = start - covered;
  if (most < at) return Math.max(0, most);
  return Math.min(most, Math.max(at, start + size - room));
}
