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
