import { RawNumber } from '#lib/json/lossless-json.js';
import { isMap } from '#lib/plain.js';

/** Values as a mutable tree: what `--set` writes into. */
export type ValuesMap = Record<string, unknown>;

/** `typed` reads true, 12 and null as such, `string` keeps text but splits at commas. */
export type SetMode = 'typed' | 'string';

/** Helm's own guard against `a[1000000000]=x`. */
const MAX_INDEX = 65_536;
/** Helm's own guard against endless paths. */
const MAX_LEVEL = 30;

/** Every list that is too short is copied: so many items are in a text of good faith. */
const MAX_COPIED = 2_000_000;

/** The text of a `--set` argument could not be understood; the message names the key. */
export class SetPathError extends Error {}

/** An integer beyond 2^53 that Helm has set as an int64: unlike numbers of a file, it keeps every digit in a digest. */
export class Int64 extends RawNumber {}

/**
 * Where the text ends decides what Helm writes: after an empty value at the end of the text (`a[0].b=`) the lists
 * around it stay as they were.
 */
type Outcome = 'more' | 'end';

interface Scanner {
  readonly text: string;
  position: number;
  readonly mode: SetMode;
  /** Items of lists that were copied so far. */
  copied: number;
}

interface Token {
  readonly text: string;
  /** The stop character, consumed; undefined at the end of the text. */
  readonly stop: string | undefined;
}

interface Place {
  readonly scanner: Scanner;
  /** How many maps deep. */
  readonly level: number;
}

/** Reads up to one of `stops`; a backslash takes the next character as it is. */
function readUntil(scanner: Scanner, stops: string): Token {
  let text = '';
  while (scanner.position < scanner.text.length) {
    const character = scanner.text.charAt(scanner.position);
    scanner.position += 1;
    if (stops.includes(character)) return { text, stop: character };
    if (character !== '\\') text += character;
    else if (scanner.position < scanner.text.length) {
      text += scanner.text.charAt(scanner.position);
      scanner.position += 1;
    }
  }
  return { text, stop: undefined };
}

/** Undefined when the text ends before the bracket. */
function readIndex(scanner: Scanner): number | undefined {
  const { text, stop } = readUntil(scanner, ']');
  if (stop === undefined) return undefined;
  const index = Number(text);
  if (!/^[-+]?\d+$/.test(text) || index < 0 || index > MAX_INDEX) {
    throw new SetPathError(`index [${text}] must be 0 to ${MAX_INDEX}`);
  }
  return index;
}

const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
const MAX_INT64 = 2n ** 63n;
/** More than any 64 bits have, with a sign. */
const MAX_DIGITS = 20;

function typedValue(text: string, mode: SetMode): unknown {
  if (mode !== 'typed') return text;
  const word = text.toLowerCase();
  if (Object.hasOwn(WORDS, word)) return WORDS[word];
  // A leading zero keeps its meaning (a file mode, a postal code): such text stays text.
  if (text !== '0' && !/^([-+]\d|[1-9])\d*$/.test(text)) return text;
  if (text.length > MAX_DIGITS) return text;
  const integer = BigInt(text.replace('+', ''));
  if (integer >= MAX_INT64 || integer < -MAX_INT64) return text;
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : new Int64(integer.toString());
}

function readList(scanner: Scanner): unknown[] {
  const items: unknown[] = [];
  for (;;) {
    const { text, stop } = readUntil(scanner, ',}');
    if (stop === undefined) throw new SetPathError('list must terminate with "}"');
    items.push(typedValue(text, scanner.mode));
    if (stop === '}') break;
  }
  if (scanner.text.charAt(scanner.position) === ',') scanner.position += 1;
  return items;
}

function isAtEnd({ text, position }: Scanner): boolean {
  return position >= text.length;
}

function readValue(scanner: Scanner): unknown {
  if (scanner.text.charAt(scanner.position) === '{') {
    scanner.position += 1;
    return readList(scanner);
  }
  return isAtEnd(scanner) ? '' : typedValue(readUntil(scanner, ',').text, scanner.mode);
}

/** Helm drops a value whose key is empty. */
function setKey(map: ValuesMap, key: string, value: unknown): void {
  if (key === '__proto__') throw new SetPathError('key "__proto__" is not allowed');
  if (key !== '') map[key] = value;
}

/** A list that is too short is copied: whoever shares it keeps his own. */
function setItem(scanner: Scanner, list: unknown[], index: number, value: unknown): unknown[] {
  scanner.copied += index < list.length ? 0 : index + 1;
  if (scanner.copied > MAX_COPIED) throw new SetPathError('its lists are too long');
  const items = index < list.length ? list : [...list, ...Array<null>(index + 1 - list.length).fill(null)];
  items[index] = value;
  return items;
}

function writeItems(place: Place, list: unknown[], index: number): { list: unknown[]; outcome: Outcome } {
  const { text, stop } = readUntil(place.scanner, '[.=');
  if (text !== '') throw new SetPathError(`unexpected text "${text}" behind an index`);
  if (stop === undefined) return { list, outcome: 'end' };
  if (stop === '=') return { list: setItem(place.scanner, list, index, readValue(place.scanner)), outcome: 'more' };
  if (stop === '[') return writeNestedItems(place, list, index);
  const existing = list[index];
  const inner = isMap(existing) ? existing : {};
  if (index < list.length) list[index] = inner;
  const outcome = writeKey(place, inner);
  return { list: outcome === 'end' ? list : setItem(place.scanner, list, index, inner), outcome };
}

function writeNestedItems(place: Place, list: unknown[], index: number): { list: unknown[]; outcome: Outcome } {
  const next = readIndex(place.scanner);
  if (next === undefined) return { list, outcome: 'end' };
  const nested = writeItems(place, listAt(list[index] ?? []), next);
  return nested.outcome === 'end'
    ? { list, outcome: 'end' }
    : { list: setItem(place.scanner, list, index, nested.list), outcome: 'more' };
}

function listAt(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new SetPathError('an index is below something that is not a list');
  return value;
}

function existing(map: ValuesMap, key: string, absent: unknown): unknown {
  return Object.hasOwn(map, key) ? map[key] : absent;
}

function writeList(place: Place, map: ValuesMap, key: string): Outcome {
  const index = readIndex(place.scanner);
  if (index === undefined) return 'end';
  const { list, outcome } = writeItems(place, listAt(existing(map, key, [])), index);
  setKey(map, key, list);
  return outcome;
}

function writeMap({ scanner, level }: Place, map: ValuesMap, key: string): Outcome {
  if (level >= MAX_LEVEL) throw new SetPathError(`the path is deeper than ${MAX_LEVEL} keys`);
  const inner = existing(map, key, {});
  if (!isMap(inner)) throw new SetPathError(`something below key "${key}" is not a map`);
  const outcome = writeKey({ scanner, level: level + 1 }, inner);
  const isEmpty = Object.keys(inner).length === 0;
  if (isEmpty && outcome === 'more') throw new SetPathError(`key map "${key}" has no value`);
  if (!isEmpty) setKey(map, key, inner);
  return outcome;
}

/** Reads one `a.b[2].c=value` and writes it below `map`, in place. */
function writeKey(place: Place, map: ValuesMap): Outcome {
  const { text: key, stop } = readUntil(place.scanner, '=[,.');
  if (stop === undefined && key === '') return 'end';
  if (stop === '[') return writeList(place, map, key);
  if (stop === '.') return writeMap(place, map, key);
  if (stop !== '=') throw new SetPathError(`key "${key}" has no value`);
  const outcome = isAtEnd(place.scanner) ? 'end' : 'more';
  setKey(map, key, readValue(place.scanner));
  return outcome;
}

/**
 * Writes `assignment` (`a.b[0]=x[,c=y]`) into `values` in place, exactly as `helm --set` or `--set-string` do
 * (strvals). Throws SetPathError.
 */
export function setPath(values: ValuesMap, assignment: string, mode: SetMode): void {
  const scanner: Scanner = { text: assignment, position: 0, mode, copied: 0 };
  while (writeKey({ scanner, level: 0 }, values) === 'more');
}
