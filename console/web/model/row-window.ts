export interface Viewport {
  /** Pixels that are scrolled past. */
  readonly top: number;
  /** Pixels that can be seen. */
  readonly height: number;
  readonly rowHeight: number;
  readonly rows: number;
}

/** Which rows are drawn, and how many pixels stand for the others. */
export interface RowWindow {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  readonly before: number;
  readonly after: number;
}

/** Drawn beyond what can be seen, so that scrolling finds rows. */
const SPARE = 8;
/** Rows come and go by so many at a time. */
const STEP = 4;

/** Never more rows than fit, whatever the browser says of its position. */
export function rowWindow({ top, height, rowHeight, rows }: Viewport): RowWindow {
  const visible = Math.ceil(Math.max(0, height) / rowHeight) + 1;
  const last = Math.max(0, rows - visible);
  const at = Math.min(Math.max(0, Math.floor(top / rowHeight)), last);
  const first = Math.max(0, Math.floor((at - SPARE) / STEP) * STEP);
  const end = Math.min(rows, Math.ceil((at + visible + SPARE) / STEP) * STEP);
  return { first, end, before: first * rowHeight, after: (rows - end) * rowHeight };
}

export function isSameWindow(left: RowWindow, right: RowWindow): boolean {
  return left.first === right.first && left.end === right.end;
}
