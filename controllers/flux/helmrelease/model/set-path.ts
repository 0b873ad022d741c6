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

/** Reads `a.b[2].c` up to `=`; the equals sign is consumed. */
function readPath(scanner: Scanner): Step[] {
  const steps: Step[] = [];
  for (;;) {
    const key = readUntil(scanner, scanner.mode === 'literal' ? '=[.' : '=[,.');
    const next = scanner.text.charAt(scanner.position);
    if (key !== '') steps.push({ key });
    if (next === '[') steps.push({ index: readIndex(scanner) });
    else {
      scanner.position += 1;
      if (next === '=') return steps;
      if (next !== '.') throw new SetPathError(`key "${key}" has no value`);
    }
  }
}

function typedValue(text: string, mode: SetMode): unknown {
  if (mode !== 'typed') return text;
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null') return null;
  if (text === '0' || (/^[-+]?[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text)))) return Number(text);
  return text;
}

function readList(scanner: Scanner): unknown[] {
  const items: unknown[] = [];
  scanner.position += 1;
  for (;;) {
    const text = readUntil(scanner, ',}');
    const end = scanner.text.charAt(scanner.position);
    if (end === '') throw new SetPathError('list must terminate with "}"');
    scanner.position += 1;
    if (end === ',' || text !== '' || items.length > 0) items.push(typedValue(text, scanner.mode));
    if (end === '}') break;
  }
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

/** Writes into `container` at `steps`, in place; a container of the wrong kind is replaced. */
function assign(container: unknown, steps: readonly Step[], value: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if ('key' in step) {
    const map = isMap(container) ? container : {};
    map[step.key] = assign(map[step.key], rest, value);
    return map;
  }
  const list: unknown[] = Array.isArray(container) ? container : [];
  while (list.length < step.index) list.push(null);
  list[step.index] = assign(list[step.index], rest, value);
  return list;
}

/**
 * Writes `assignment` (`a.b[0]=x[,c=y]`) into `values` in place, as `helm --set`, `--set-string` or `--set-literal` do.
 * Throws SetPathError.
 */
export function setPath(values: ValuesMap, assignment: string, mode: SetMode): void {
  const scanner: Scanner = { text: assignment, position: 0, mode };
  while (scanner.position < assignment.length) {
    const steps = readPath(scanner);
    if (steps.some((step) => 'key' in step && step.key === '__proto__'))
      throw new SetPathError('key "__proto__" is not allowed');
    const first = steps[0];
    if (first === undefined || !('key' in first))
      throw new SetPathError(`"${assignment.split('=')[0] ?? ''}" names no key`);
    assign(values, steps, readValue(scanner));
  }
}
