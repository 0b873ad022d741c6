import { RawNumber } from '../../../runtime/pure/lossless-json.js';
import { isMap } from './plain.js';

/** Values as a mutable tree: what `--set` writes into. */
export type ValuesMap = Record<string, unknown>;

/** `typed` reads true, 12 and null as such, `string` keeps text but splits at commas, `literal` keeps every character. */
export type SetMode = 'typed' | 'string' | 'literal';

/** Helm's own guard against `a[1000000000]=x`. */
const MAX_INDEX = 65_536;

/** The text of a `--set` argument could not be understood; the message names the key. */
export class SetPathError extends Error {}

interface Scanner {
  readonly text: string;
  position: number;
  readonly mode: SetMode;
}

type Step = { readonly key: string } | { readonly index: number };

/** Reads up to one of `stops`; a backslash takes the next character as it is. */
function readUntil(scanner: Scanner, stops: string): string {
  let out = '';
  while (scanner.position < scanner.text.length) {
    const character = scanner.text.charAt(scanner.position);
    if (stops.includes(character)) break;
    if (character === '\\') scanner.position += 1;
    out += scanner.text.charAt(scanner.position);
    scanner.position += 1;
  }
  return out;
}

function readIndex(scanner: Scanner): number {
  scanner.position += 1;
  const digits = readUntil(scanner, ']');
  scanner.position += 1;
  const index = Number(digits);
  if (!/^\d+$/.test(digits) || index > MAX_INDEX) throw new SetPathError(`index [${digits}] must be 0 to ${MAX_INDEX}`);
  return index;
}

/** What follows a key or an index: another step, or the value. Consumes one character. */
function readSeparator(scanner: Scanner, after: string): 'step' | 'value' {
  const next = scanner.text.charAt(scanner.position);
  scanner.position += 1;
  if (next === '=') return 'value';
  if (next !== '.') throw new SetPathError(`key "${after}" has no value`);
  return 'step';
}

/** Reads `a.b[2].c` up to `=`; the equals sign is consumed. */
function readPath(scanner: Scanner): Step[] {
  const steps: Step[] = [];
  for (;;) {
    const key = readUntil(scanner, scanner.mode === 'literal' ? '=[.' : '=[,.');
    steps.push({ key });
    while (scanner.text.charAt(scanner.position) === '[') steps.push({ index: readIndex(scanner) });
    if (readSeparator(scanner, key) === 'value') return steps;
  }
}

const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
const MAX_INT64 = 2n ** 63n;

function typedValue(text: string, mode: SetMode): unknown {
  if (mode !== 'typed') return text;
  const word = text.toLowerCase();
  if (Object.hasOwn(WORDS, word)) return WORDS[word];
  // A leading zero keeps its meaning (a file mode, a postal code): such text stays text.
  if (text !== '0' && !/^([-+]\d|[1-9])\d*$/.test(text)) return text;
  const integer = BigInt(text.replace('+', ''));
  if (integer >= MAX_INT64 || integer < -MAX_INT64) return text;
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : new RawNumber(integer.toString());
}

function readList(scanner: Scanner): unknown[] {
  const items: unknown[] = [];
  for (;;) {
    scanner.position += 1;
    const text = readUntil(scanner, ',}');
    const end = scanner.text.charAt(scanner.position);
    if (end === '') throw new SetPathError('list must terminate with "}"');
    items.push(typedValue(text, scanner.mode));
    if (end === '}') break;
  }
  scanner.position += 1;
  if (scanner.text.charAt(scanner.position) === ',') scanner.position += 1;
  return items;
}

function readValue(scanner: Scanner): unknown {
  if (scanner.mode === 'literal') {
    const rest = scanner.text.slice(scanner.position);
    scanner.position = scanner.text.length;
    return rest;
  }
  if (scanner.text.charAt(scanner.position) === '{') return readList(scanner);
  const text = readUntil(scanner, ',');
  scanner.position += 1;
  return typedValue(text, scanner.mode);
}

/** Writes below `container`, in place. A value in the way is an error, except in a list, where it is replaced. */
function assign(container: unknown, steps: readonly Step[], value: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if ('index' in step) return assignItem(container, step.index, rest, value);
  const map = container ?? {};
  if (!isMap(map)) throw new SetPathError(`key "${step.key}" is below something that is no map`);
  // Helm drops a value whose key is empty.
  if (step.key !== '') map[step.key] = assign(map[step.key], rest, value);
  else if (rest.length > 0) throw new SetPathError('a key in the path is empty');
  return map;
}

function assignItem(container: unknown, index: number, rest: readonly Step[], value: unknown): unknown[] {
  const list: unknown = container ?? [];
  if (!Array.isArray(list)) throw new SetPathError(`index [${index}] is below something that is no list`);
  const items: unknown[] = list;
  while (items.length < index) items.push(null);
  const [next] = rest;
  const existing = next !== undefined && 'key' in next && !isMap(items[index]) ? {} : items[index];
  items[index] = assign(existing, rest, value);
  return items;
}

/**
 * Writes `assignment` (`a.b[0]=x[,c=y]`) into `values` in place, as `helm --set`, `--set-string` or `--set-literal` do.
 * Throws SetPathError.
 */
export function setPath(values: ValuesMap, assignment: string, mode: SetMode): void {
  const scanner: Scanner = { text: assignment, position: 0, mode };
  while (scanner.position < assignment.length) {
    const steps = readPath(scanner);
    if (steps.some((step) => 'key' in step && step.key === '__proto__')) {
      throw new SetPathError('key "__proto__" is not allowed');
    }
    assign(values, steps, readValue(scanner));
  }
}
