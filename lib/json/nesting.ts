import { opened } from './held-map.js';
import { parseJson, stringEnd } from './lossless-json.js';

/** What is nested deeper could exhaust the stack of whoever walks it: a parser, a printer, a comparison. */
export const MAX_DEPTH = 1_000;
/** Of values that anybody means: nothing of them was cut. */
export const MAX_VALUES_DEPTH = 500;

const QUOTE = 0x22;
const [LIST, LIST_END, MAP, MAP_END] = [0x5b, 0x5d, 0x7b, 0x7d];

const [COMMA, ZERO, NINE] = [0x2c, 0x30, 0x39];

/** Commas, opening brackets and digits of a JSON text outside of its strings, counted up to `most` and one more. */
function marksIn(text: string, most: number): number {
  let marks = 0;
  for (let index = 0; index < text.length && marks <= most; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = stringEnd(text, index + 1);
    else if (code === COMMA || code === LIST || code === MAP || (code >= ZERO && code <= NINE)) marks += 1;
  }
  return marks;
}

/**
 * True when a JSON text has more than `most` commas, opening brackets and digits outside of its strings. They decide
 * the cost of parsing and keeping it: a list of empty objects takes twenty times its own length.
 */
export function isDenserThan(text: string, most: number): boolean {
  return text.length > most && marksIn(text, most) > most;
}

/** Bytes of a value in addition to its text; about the size of an empty object. */
const BYTES_OF_A_MARK = 56;

/** Approximate bytes in memory of a JSON text once it is parsed. */
export function parsedBytes(text: string): number {
  return text.length + BYTES_OF_A_MARK * marksIn(text, Infinity);
}

/** The memory of a list or map, and of an item or field with what refers to it. */
const [BYTES_OF_A_PART, BYTES_OF_AN_ITEM] = [56, 24];

/**
 * Approximate bytes in memory of a JSON text once it is parsed, for caches: closer than `parsedBytes`, which also counts
 * what the parser needs.
 */
export function keptBytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = stringEnd(text, index + 1);
    else if (code === COMMA) bytes += BYTES_OF_AN_ITEM;
    else if (code === LIST || code === MAP) bytes += BYTES_OF_A_PART;
  }
  return bytes;
}

/** Begin and end of each list and map of a JSON text that is within `most` others. Without a call per level. */
function* deepParts(text: string, most: number): Generator<readonly [begin: number, end: number]> {
  let [depth, begin] = [0, -1];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = stringEnd(text, index + 1);
    else if ((code === LIST || code === MAP) && ++depth === most + 1) begin = index;
    else if ((code === LIST_END || code === MAP_END) && depth-- === most + 1) {
      yield [begin, index + 1];
      begin = -1;
    }
  }
  if (begin >= 0) yield [begin, text.length];
}

/** True when lists and maps of a JSON text are nested deeper than `most`. */
export function isDeeperThan(text: string, most: number): boolean {
  // Each level has two characters.
  return text.length > 2 * most && deepParts(text, most).next().done !== true;
}

/** The JSON text with null in place of what is nested deeper than `most`. */
export function cutDeeper(text: string, most: number): string {
  if (!isDeeperThan(text, most)) return text;
  const kept: string[] = [];
  let next = 0;
  for (const [begin, end] of deepParts(text, most)) {
    kept.push(text.slice(next, begin));
    next = end;
  }
  return [...kept, text.slice(next)].join('null');
}

/**
 * What a server answered, in which tenants write: one of their objects must not keep the others from being read. What is
 * deeper than MAX_DEPTH is null; `nestsDeeper` finds what was cut. Throws a SyntaxError on bad JSON.
 */
export function parseServed(text: string): unknown {
  return parseJson(cutDeeper(text, MAX_DEPTH));
}

/** True when lists and maps of a value are nested deeper than `most`. */
export function nestsDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const nested = level.filter((each): each is object => typeof each === 'object' && each !== null);
    if (nested.length > 0 && depth === most) return true;
    level = nested.flatMap((each): unknown[] => Object.values(opened(each)));
  }
  return false;
}
