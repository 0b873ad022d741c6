import { isMap } from '#lib/plain.js';

/**
 * Lines, items and flow marks of a manifest and its hooks. The largest that Helm can store and a chart of good faith
 * renders have a few hundred thousand. What is more takes seconds to parse.
 */
const MAX_MARKS = 1_500_000;
/** Parsing a document costs as much as so many lines, however short it is. */
const MARKS_OF_A_DOCUMENT = 10;
/** Fields and items of the objects of a manifest and its hooks. They decide how much memory the objects take. */
export const MAX_NODES = 300_000;

const [TAB, LINE_FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const [AND, STAR, COMMA, DASH, QUESTION] = [0x26, 0x2a, 0x2c, 0x2d, 0x3f];
const [LIST, MAP] = [0x5b, 0x7b];
/** They end a line of YAML 1.1. */
const [NEXT_LINE, LINE_SEPARATOR, PARAGRAPH_SEPARATOR] = [0x85, 0x2028, 0x2029];

/** Each of these begins a node or a line, wherever it stands. */
const MARKS: ReadonlySet<number> = new Set([
  ...[LINE_FEED, RETURN, NEXT_LINE, LINE_SEPARATOR, PARAGRAPH_SEPARATOR],
  ...[COMMA, LIST, MAP, AND, STAR],
]);
/** A table, because a set is slow: most characters are below 128. */
const IS_MARK = Uint8Array.from({ length: 0x80 }, (_, code) => (MARKS.has(code) ? 1 : 0));

function ofDash(text: string, index: number): number {
  const next = text.charCodeAt(index + 1);
  if (next === SPACE || next === TAB) return 1;
  const isSeparator = next === DASH && text.charCodeAt(index - 1) !== DASH && text.startsWith('---', index);
  return isSeparator ? MARKS_OF_A_DOCUMENT : 0;
}

function marksAt(text: string, index: number, code: number): number {
  if (code === DASH || code === QUESTION) return ofDash(text, index);
  return (code < IS_MARK.length ? IS_MARK[code] === 1 : MARKS.has(code)) ? 1 : 0;
}

/**
 * The cost of parsing YAML: its lines, items of lists, flow marks, anchors and aliases, and ten for each document.
 * Counted up to `most` and a few more. Texts within a block are counted like the rest: only a parser knows them.
 */
export function marksOf(text: string, most: number): number {
  let marks = 0;
  for (let index = 0; index < text.length && marks <= most; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= DASH || code === QUESTION || code === LIST || code === MAP || code >= IS_MARK.length)
      marks += marksAt(text, index, code);
  }
  return marks;
}

/**
 * True for YAML with an anchor and an alias, and some texts that look like these: aliases make more of a text than its
 * marks say. A script with `a && b` has no alias.
 */
export function mayHaveAliases(text: string): boolean {
  // U+0085 ends a line of YAML 1.1, and is no \s.
  return /(?:^|[\s\u0085[{,:?-])&\S/.test(text) && /(?:^|[\s\u0085[{,:?-])\*\S/.test(text);
}

/** Why the texts of a release are too much to parse; undefined: they are not. */
export function excessOfTexts(texts: readonly string[]): string | undefined {
  let marks = 0;
  for (const text of texts) {
    marks += marksOf(text, MAX_MARKS - marks);
    if (marks > MAX_MARKS) return `more than ${MAX_MARKS} lines, list items and commas in its manifest and hooks`;
  }
  return undefined;
}

/** The objects have too many fields and items. The message is the end of a sentence: "has more than ...". */
export class NodesError extends Error {
  override readonly name = 'NodesError';
}

/** How many fields and items objects may have together. */
export class NodeBudget {
  readonly #most: number;
  #left: number;

  constructor(most = MAX_NODES) {
    this.#most = most;
    this.#left = most;
  }

  /** Counts all fields and items of a value, as often as aliases repeat them. Throws NodesError. */
  take(value: unknown): void {
    const open: unknown[] = [value];
    while (open.length > 0) {
      const next = open.pop();
      if (!isMap(next) && !Array.isArray(next)) continue;
      const nested = Object.values(next);
      this.#left -= nested.length;
      if (this.#left < 0) throw new NodesError(`has more than ${this.#most} fields and items`);
      for (const each of nested) open.push(each);
    }
  }
}
