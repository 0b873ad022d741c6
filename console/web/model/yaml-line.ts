/** Where a line of a text begins; of a line that it does not have, where it ends. Lines count from 1. */
export function lineStart(text: string, line: number): number {
  let start = 0;
  for (let before = 1; before < line; before += 1) {
    const end = text.indexOf('\n', start);
    if (end === -1) return text.length;
    start = end + 1;
  }
  return start;
}

/** A dash or a key, and its column. */
interface Opener {
  readonly column: number;
  /** Undefined: a dash. */
  readonly key?: string;
}

/** A line of block YAML, of which the lines around it are not known. */
export interface Line {
  readonly openers: readonly Opener[];
  /** Behind the colon of the key; 0 without one. */
  readonly colon: number;
  /** Behind all of them. */
  readonly rest: string;
  readonly restColumn: number;
}

const KEY =
  /(?:"((?:[^"\\]|\\[^])*)"|'((?:[^']|'')*)'|([^\s#"'[\]{},&*!|>%@`](?:[^\s:#]|:(?=\S)|(?<=\S)#|[ \t]+(?=[^\s:#]))*))[ \t]*:(?=[ \t]|$)/y;
const DASH = /-(?=[ \t]|$)/y;
const BLANKS = /[ \t]*/y;
/** A longer line has no key, or one that nobody chose from a list. */
export const MOST_CHARACTERS = 1_000;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function blanksAt(text: string, at: number): number {
  return matchAt(BLANKS, text, at)?.[0].length ?? 0;
}

/** Never throws; takes time in proportion to the line. */
export function lineOf(whole: string): Line {
  const text = whole.slice(0, MOST_CHARACTERS);
  const openers: Opener[] = [];
  let at = blanksAt(text, 0);
  while (matchAt(DASH, text, at) !== null) {
    openers.push({ column: at });
    at += 1 + blanksAt(text, at + 1);
  }
  const [all = '', double, single, plain = ''] = matchAt(KEY, text, at) ?? [];
  if (all === '') return { openers, colon: 0, rest: text.slice(at), restColumn: at };
  const colon = at + all.length;
  openers.push({ column: at, key: double ?? single?.replaceAll("''", "'") ?? plain });
  at = colon + blanksAt(text, colon);
  return { openers, colon, rest: text.slice(at), restColumn: at };
}

/** Of a key whose value stands below it, or an anchor or tag of that. */
const OPEN = /^(?:[&!]\S*[ \t]*)*(?:#.*)?$/;

/** True for what stands behind a key whose value is below it. */
export function isOpenEnded(rest: string): boolean {
  return OPEN.test(rest);
}

const TEXT_BELOW = /^(?:[&!]\S*[ \t]+)*[|>][-+0-9]*[ \t]*$/;
const STEP = 2;

/** Blanks that the line below begins with, if the line is broken behind `before`. */
export function indentBelow(before: string): string {
  if (before.trim() === '') return before;
  const { openers, colon, rest, restColumn } = lineOf(before);
  const column = openers.at(-1)?.key === undefined ? restColumn : (openers.at(-1)?.column ?? 0);
  const isDeeper = colon > 0 && (isOpenEnded(rest) || TEXT_BELOW.test(rest));
  return ' '.repeat(column + (isDeeper ? STEP : 0));
}
