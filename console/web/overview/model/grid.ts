/** Rows or columns of the same size, of which some can be seen. */
export interface Axis {
  /** Pixels from the start of the first item to what can be seen; negative while something comes before it. */
  readonly at: number;
  /** Pixels that can be seen. */
  readonly room: number;
  /** Pixels of one of them. */
  readonly size: number;
  readonly items: number;
}

/** Which of them are drawn. */
export interface Drawn {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** Drawn beyond what can be seen, so that scrolling finds something. */
const SPARE = { rows: 4, columns: 1 };
/** They come and go by so many at a time. */
const STEP = { rows: 2, columns: 1 };

/** Never more than fit, whatever the browser says of its position. */
export function drawnItems({ at, room, size, items }: Axis, kind: keyof typeof SPARE): Drawn {
  const [spare, step] = [SPARE[kind], STEP[kind]];
  const visible = Math.ceil(Math.max(0, room) / size) + 1;
  const last = Math.max(0, items - visible);
  const from = Math.min(Math.max(0, Math.floor(at / size)), last);
  const to = Math.max(from, Math.min(items, Math.ceil((at + room) / size)));
  const first = Math.max(0, Math.floor((from - spare) / step) * step);
  return { first, end: Math.min(items, Math.ceil((to + spare) / step) * step) };
}

export function isSameDrawn(left: Drawn, right: Drawn): boolean {
  return left.first === right.first && left.end === right.end;
}

/** The most of them that are drawn at once. */
export function mostDrawn({ room, size }: Pick<Axis, 'room' | 'size'>, kind: keyof typeof SPARE): number {
  return Math.ceil(Math.max(0, room) / size) + 1 + 2 * (SPARE[kind] + STEP[kind]);
}

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

type Step = (from: GridCell, size: GridSize, isFar: boolean) => GridCell;

const STEPS: ReadonlyMap<string, Step> = new Map<string, Step>([
  ['ArrowUp', ({ row, column }) => ({ row: row - 1, column })],
  ['ArrowDown', ({ row, column }) => ({ row: row + 1, column })],
  ['ArrowLeft', ({ row, column }) => ({ row, column: column - 1 })],
  ['ArrowRight', ({ row, column }) => ({ row, column: column + 1 })],
  ['PageUp', ({ row, column }, { page }) => ({ row: row - Math.max(1, page), column })],
  ['PageDown', ({ row, column }, { page }) => ({ row: row + Math.max(1, page), column })],
  ['Home', ({ row }, _, isFar) => ({ row: isFar ? 0 : row, column: 0 })],
  ['End', ({ row }, { rows, columns }, isFar) => ({ row: isFar ? rows - 1 : row, column: columns - 1 })],
]);

/** Where a key leads, as in the grid of the WAI-ARIA practices; undefined if the key is for something else. */
export function movedBy({ key, ctrlKey }: Key, from: GridCell, size: GridSize): GridCell | undefined {
  const step = STEPS.get(key);
  return step && within(step(from, size, ctrlKey), size);
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
