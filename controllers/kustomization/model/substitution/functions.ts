import { bytesOf, characterOf, reversed, runesOf, type Bytes } from './bytes.js';
import { matchingPrefix } from './glob.js';

/** The value of a variable, empty if it has none, and the arguments of its operator. */
type Operation = (value: Bytes, args: readonly Bytes[]) => Bytes;

const INTEGER = /^[-+]?[0-9]+$/;
const LARGEST = 2 ** 63;

/** As Go's Atoi; undefined where that refuses. */
function integerOf(text: Bytes | undefined): number | undefined {
  if (text === undefined || !INTEGER.test(text)) return undefined;
  const value = Number(text);
  return Math.abs(value) < LARGEST ? value : undefined;
}

/** Bash, too, leaves the value unchanged where a position is no number. */
function substring(value: Bytes, [offset, size]: readonly Bytes[]): Bytes {
  const position = integerOf(offset);
  if (position === undefined) return value;
  const start = position < 0 ? Math.max(value.length + position, 0) : position;
  if (size === undefined) return value.slice(start);
  const length = integerOf(size);
  if (length === undefined) return value;
  const end = length < 0 ? value.length + length : start + length;
  return end < start ? '' : value.slice(start, end);
}

/** Go's simple mapping: one character for one. */
function mapped(rune: Bytes, map: (character: string) => string): Bytes {
  const character = characterOf(rune);
  const result = character === '\u0130' ? map('I') : map(character);
  return bytesOf(Array.from(result).length === 1 ? result : character);
}

function mapAll(value: Bytes, map: (character: string) => string): Bytes {
  return runesOf(value)
    .map((rune) => mapped(rune, map))
    .join('');
}

function mapFirst(value: Bytes, map: (character: string) => string): Bytes {
  const [first] = runesOf(value.slice(0, 4));
  return first === undefined ? value : mapped(first, map) + value.slice(first.length);
}

const upper = (character: string): string => character.toUpperCase();
const lower = (character: string): string => character.toLowerCase();

function replaceFirst(value: Bytes, [pattern = '', replacement = '']: readonly Bytes[]): Bytes {
  const at = value.indexOf(pattern);
  return at < 0 ? value : value.slice(0, at) + replacement + value.slice(at + pattern.length);
}

/** An empty pattern is found around every character, as in Go. */
function replaceAll(value: Bytes, [pattern = '', replacement = '']: readonly Bytes[]): Bytes {
  const pieces = pattern === '' ? ['', ...runesOf(value), ''] : value.split(pattern);
  return pieces.join(replacement);
}

function replacePrefix(value: Bytes, [prefix = '', replacement]: readonly Bytes[]): Bytes {
  const isFound = replacement !== undefined && value.startsWith(prefix);
  return isFound ? replacement + value.slice(prefix.length) : value;
}

function replaceSuffix(value: Bytes, [suffix = '', replacement]: readonly Bytes[]): Bytes {
  const isFound = replacement !== undefined && value.endsWith(suffix);
  return isFound ? value.slice(0, value.length - suffix.length) + replacement : value;
}

function trimPrefix(size: 'shortest' | 'longest'): Operation {
  return (value, [pattern = '']) => value.slice(matchingPrefix(pattern, value)?.[size] ?? 0);
}

/** Flux turns the pattern around, too, letter by letter. */
function trimSuffix(size: 'shortest' | 'longest'): Operation {
  const trim = trimPrefix(size);
  return (value, [pattern = '']) => reversed(trim(reversed(value), [reversed(pattern)]));
}

const trimShortest = trimPrefix('shortest');

/** By operator; every other one is a default. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['^', (value) => mapFirst(value, upper)],
  ['^^', (value) => mapAll(value, upper)],
  [',', (value) => mapFirst(value, lower)],
  [',,', (value) => mapAll(value, lower)],
  ['#', (value, args) => (args.length === 0 ? String(value.length) : trimShortest(value, args))],
  ['##', trimPrefix('longest')],
  ['%', trimSuffix('shortest')],
  ['%%', trimSuffix('longest')],
  [':', substring],
  ['/', replaceFirst],
  ['//', replaceAll],
  ['/#', replacePrefix],
  ['/%', replaceSuffix],
]);
const DEFAULTS: readonly string[] = [':-', ':=', ':?', ':+', '='];
const TRIMS: readonly string[] = ['#', '##', '%', '%%'];

/** True for an operator that says what stands in for a variable without a value. */
export function isDefault(operator: string): boolean {
  return DEFAULTS.includes(operator);
}

/** What an operation costs: its steps, or the bytes of its result. */
export function costOf(operator: string, value: Bytes, args: readonly Bytes[]): number {
  const [pattern = '', replacement = ''] = args;
  if (TRIMS.includes(operator)) return value.length * (pattern.length + 1);
  const replacements = operator === '//' ? value.split(pattern).length : 1;
  return value.length + replacements * replacement.length;
}

/** What Flux's function of this operator makes of a value. */
export function operate(operator: string, value: Bytes, args: readonly Bytes[]): Bytes {
  const operation = OPERATIONS.get(operator);
  return operation === undefined ? value || args.join('') : operation(value, args);
}
