import type { Path } from './yaml-edit.js';
import { isOpenEnded, lineOf, MOST_CHARACTERS, type Line } from './yaml-line.js';

/** Where the cursor is in a text that may be half written. */
export interface YamlPlace {
  /** Keys and indices of what holds the cursor: of a key the map, of a value the value itself. */
  readonly path: Path;
  /** What is written there; nothing: a text, or YAML that only the reader understands. */
  readonly expects: 'key' | 'value' | 'nothing';
  /** What a choice would replace. */
  readonly from: number;
  readonly to: number;
  /** True: a colon follows already. */
  readonly hasColon: boolean;
  /** The key of the line. */
  readonly key: string | undefined;
  /** Keys that are there. */
  readonly present: ReadonlySet<string>;
}

const WORD = /^[^\s:#"'[\]{},&*!|>%@\x60]*$/;
/** The reader of YAML takes no more. */
const MOST_LEVELS = 100;

/** Walks from a place up to the root. */
class Climb {
  readonly path: (string | number)[] = [];
  readonly present = new Set<string>();
  /** False: it lies in a text, or in what is no block. */
  isOpen = true;
  /** What holds the place is left of this column. */
  #column: number;
  /** Items of the list that are above, if the place is in one. */
  #index: number | undefined;

  constructor(column: number) {
    this.#column = column;
  }

  get isDone(): boolean {
    return this.path.length >= MOST_LEVELS;
  }

  /** Whether what begins there may hold the place, or stand beside it. */
  isNear(indent: number): boolean {
    return indent <= this.#column;
  }

  /** `upTo` counts its openers that are left of the place. */
  line({ openers, rest }: Line, upTo = openers.length): void {
    for (let each = upTo - 1; each >= 0; each -= 1) {
      const opener = openers[each];
      if (opener === undefined) return;
      const isLast = each === openers.length - 1;
      if (opener.key === undefined) this.#dash(opener.column);
      else this.#key(opener.key, opener.column, !isLast || isOpenEnded(rest));
    }
  }

  #dash(column: number): void {
    if (this.#index !== undefined && column === this.#column) this.#index += 1;
    else if (column < this.#column) this.#enter(column, 0);
  }

  #key(key: string, column: number, isOpen: boolean): void {
    const isParent = column < this.#column || (this.#index !== undefined && column === this.#column);
    if (isParent) {
      this.#enter(column, undefined);
      this.path.unshift(key);
      this.isOpen &&= isOpen;
    } else if (this.path.length === 0 && this.#index === undefined && column === this.#column) this.present.add(key);
  }

  /** The list that was climbed through is closed, and its index is known. */
  #enter(column: number, index: number | undefined): void {
    if (this.#index !== undefined) this.path.unshift(this.#index);
    this.#column = column;
    this.#index = index;
  }

  /** To the root. */
  finish(): void {
    this.#enter(0, undefined);
  }
}

/** Only blanks are indentation. */
function indentAt(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ') at += 1;
  return at - start;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

function startOfLine(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

const BETWEEN_DOCUMENTS = /^(?:---|\.\.\.)(?:\s|$)/;

function climbAbove(text: string, start: number, climb: Climb): void {
  let end = start - 1;
  while (end >= 0 && !climb.isDone) {
    const from = startOfLine(text, end);
    if (climb.isNear(indentAt(text, from))) {
      const line = text.slice(from, Math.min(end, from + MOST_CHARACTERS));
      if (BETWEEN_DOCUMENTS.test(line)) break;
      climb.line(lineOf(line));
    }
    end = from - 1;
  }
  climb.finish();
}

/** Keys below a line that stand beside one at the column. */
function* keysBelow(text: string, end: number, column: number): Generator<string> {
  for (let from = end + 1; from <= text.length; from = endOfLine(text, from) + 1) {
    const indent = indentAt(text, from);
    const first = text[from + indent] ?? '\n';
    if (indent > column || first === '\n' || first === '#') continue;
    const { openers } = lineOf(text.slice(from, Math.min(endOfLine(text, from), from + MOST_CHARACTERS)));
    if (indent < column) return;
    for (const { column: own, key } of openers) if (own === column && key !== undefined) yield key;
  }
}

/** Of the line of the cursor, in columns. */
type Target = Pick<YamlPlace, 'expects' | 'from' | 'to'> & { readonly column: number };

function valueTarget({ rest, restColumn, colon, openers }: Line, at: number): Target {
  const column = openers.at(-1)?.column ?? 0;
  const value = rest.replace(/(?:^|[ \t]+)#[^]*$/, '').trimEnd();
  const from = value === '' ? Math.max(at, colon) : restColumn;
  const isIn = at >= from && at <= from + value.length && at <= restColumn + value.length;
  return { expects: isIn && WORD.test(value) ? 'value' : 'nothing', from, to: from + value.length, column };
}

function isBehindBlank(line: string, at: number): boolean {
  return at === 0 || line[at - 1] === ' ';
}

function keyTarget(line: Line, whole: string, at: number): Target {
  const own = line.colon > 0 ? line.openers.at(-1) : undefined;
  const isBlank = whole.trim() === '';
  const from = own?.column ?? (isBlank ? at : line.restColumn);
  const word = own === undefined ? line.rest.trimEnd() : whole.slice(from, line.colon - 1).trimEnd();
  const isIn = at >= from && at <= from + word.length && isBehindBlank(whole, from) && WORD.test(word);
  return { expects: isIn ? 'key' : 'nothing', from, to: from + word.length, column: from };
}

/**
 * Where a cursor is, by the lines around it: the text need not be YAML yet. Within flow collections, quotes and texts of
 * several lines nothing can be chosen. Never throws; takes time in proportion to the text at most.
 */
export function placeOf(text: string, cursor: number): YamlPlace {
  const start = startOfLine(text, cursor);
  const end = endOfLine(text, cursor);
  const whole = text.slice(start, end);
  const line = lineOf(whole);
  const at = cursor - start;
  const isValue = line.colon > 0 && at >= line.colon;
  const target = isValue ? valueTarget(line, at) : keyTarget(line, whole, at);
  const climb = new Climb(target.column);
  const dashes = line.openers.filter(({ key, column }) => key === undefined && column < target.column).length;
  climb.line(line, dashes);
  climbAbove(text, start, climb);
  const key = line.colon > 0 ? line.openers.at(-1)?.key : undefined;
  return {
    path: isValue && key !== undefined ? [...climb.path, key] : climb.path,
    expects: climb.isOpen && whole.length < MOST_CHARACTERS ? target.expects : 'nothing',
    from: start + target.from,
    to: start + target.to,
    hasColon: line.colon > 0,
    key,
    present: new Set([...climb.present, ...keysBelow(text, end, target.column)]),
  };
}
