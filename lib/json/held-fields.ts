import { holdMap } from './held-map.js';
import { parseJson, stringEnd } from './lossless-json.js';
import { cutDeeper, keptBytes, MAX_DEPTH } from './nesting.js';

/** Fields that are maps in which users write anything. */
const FIELDS: readonly string[] = ['values', 'valuesSchema', 'argoApp'];
const LONGEST_FIELD = 12;
/** A held field takes some hundred bytes in addition to its text. */
const SHORTEST = 128;
/** Bytes of memory that any object may take, however short its text is. */
const MOST_BYTES = 256 * 1024;
/** Memory that a longer one may take, as a multiple of its text. What people write takes two to five times as much. */
const MOST_RATIO = 6;
/** No character counts more than the first one of a list. */
const SHORTEST_OBJECT = MOST_BYTES / keptBytes('[');

/** Marks the place of a held field; unguessable, so no text of a user can be one. */
const MARK = `held-${crypto.getRandomValues(new Uint32Array(4)).join('-')}:`;

const QUOTE = 0x22;
const [LIST, LIST_END, MAP, MAP_END] = [0x5b, 0x5d, 0x7b, 0x7d];

type Range = readonly [begin: number, end: number];

function isDense(text: string): boolean {
  if (text.length < SHORTEST_OBJECT) return false;
  const bytes = keptBytes(text);
  return bytes > MOST_BYTES && bytes > MOST_RATIO * text.length;
}

/** Finds the fields to be held in the objects of a text, which are at `level`. Without a call per level of the text. */
class Search {
  readonly found: Range[] = [];
  readonly #text: string;
  readonly #level: number;
  #depth = 0;
  /** Where the object began, its fields, and where one began that has not ended: at what depth. */
  #begin = 0;
  #fields: Range[] = [];
  #field: { readonly begin: number; readonly depth: number } | undefined;
  /** The last string. */
  #string: Range = [0, 0];

  constructor(text: string, level: number) {
    this.#text = text;
    this.#level = level;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code === QUOTE) {
        const end = stringEnd(text, index + 1);
        this.#string = [index + 1, end];
        index = end;
      } else if (code === LIST || code === MAP) this.#open(index, code);
      else if (code === LIST_END || code === MAP_END) this.#close(index + 1);
    }
  }

  #open(begin: number, code: number): void {
    this.#depth += 1;
    if (this.#depth === this.#level) {
      this.#begin = begin;
      this.#fields = [];
    }
    if (this.#depth <= this.#level || code !== MAP || this.#field !== undefined) return;
    if (this.#isField(begin)) this.#field = { begin, depth: this.#depth };
  }

  #isField(begin: number): boolean {
    const [start, end] = this.#string;
    const isKey = end + 2 === begin && end - start <= LONGEST_FIELD;
    return isKey && FIELDS.includes(this.#text.slice(start, end));
  }

  #close(end: number): void {
    const field = this.#field;
    if (this.#depth === field?.depth) {
      if (end - field.begin >= SHORTEST) this.#fields.push([field.begin, end]);
      this.#field = undefined;
    }
    const isObject = this.#depth === this.#level && this.#fields.length > 0;
    if (isObject && isDense(this.#text.slice(this.#begin, end))) this.found.push(...this.#fields);
    this.#depth -= 1;
  }
}

type Held = readonly Readonly<Record<string, unknown>>[];

/** Puts the held fields where their marks are, in a value that was just parsed. */
function putBack(value: unknown, held: Held): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>; // a list likewise, by its indexes
  for (const [key, each] of Object.entries(fields)) {
    if (typeof each === 'string' && each.startsWith(MARK)) fields[key] = held[Number(each.slice(MARK.length))];
    else putBack(each, held);
  }
}

/**
 * `parseServed` for objects that are kept: `level` is 1 for an object, 2 for an event, 3 for the items of a list. Of an
 * object that would take more than 256 KiB, and more than six times its text, in memory, only the texts of `values` and
 * such fields are kept: a list of empty maps takes twenty times its text, and one tenant must not fill the memory.
 * Nothing is lost, see `holdMap`.
 */
export function parseHolding(served: string, level: number): unknown {
  const text = cutDeeper(served, MAX_DEPTH);
  const { found } = text.length < SHORTEST_OBJECT ? { found: [] } : new Search(text, level);
  if (found.length === 0) return parseJson(text);
  const kept: string[] = [];
  let next = 0;
  for (const [index, [begin, end]] of found.entries()) {
    kept.push(text.slice(next, begin), `"${MARK}${index}"`);
    next = end;
  }
  const value = parseJson([...kept, text.slice(next)].join(''));
  putBack(
    value,
    found.map(([begin, end]) => holdMap(text.slice(begin, end))),
  );
  return value;
}
