import { characterOf, runesOf, bytesOf, reversed, type Bytes } from './bytes.js';

/** One step of a pattern: this character, any number of them, or one of a class. */
type Step = Bytes | typeof STAR | ((rune: Bytes) => boolean);

const STAR = Symbol('*');

/** The rest of a pattern, its next character last. */
type Rest = Bytes[];

function codeOf(rune: Bytes): number {
  return characterOf(rune).codePointAt(0) ?? 0;
}

/** A character of a class; undefined where the class is malformed. */
function classCharacter(rest: Rest): number | undefined {
  if (rest.at(-1) === '-' || rest.at(-1) === ']') return undefined;
  if (rest.at(-1) === '\\') rest.pop();
  const rune = rest.pop();
  return rune === undefined || rest.length === 0 ? undefined : codeOf(rune);
}

function classStep(rest: Rest): Step | undefined {
  const isNegated = rest.at(-1) === '^';
  if (isNegated) rest.pop();
  const ranges: (readonly [low: number, high: number])[] = [];
  while (ranges.length === 0 || rest.at(-1) !== ']') {
    const low = classCharacter(rest);
    const isRange = rest.at(-1) === '-';
    if (isRange) rest.pop();
    const high = isRange ? classCharacter(rest) : low;
    if (low === undefined || high === undefined) return undefined;
    ranges.push([low, high]);
  }
  rest.pop();
  return (rune) => ranges.some(([low, high]) => low <= codeOf(rune) && codeOf(rune) <= high) !== isNegated;
}

function stepOf(rune: Bytes, rest: Rest): Step | undefined {
  if (rune === '*') return STAR;
  if (rune === '?') return () => true;
  if (rune === '[') return classStep(rest);
  return rune === '\\' ? rest.pop() : rune;
}

/** The steps of a shell pattern; undefined where it is malformed. */
function stepsOf(pattern: Bytes): Step[] | undefined {
  const rest = runesOf(pattern).reverse();
  const steps: Step[] = [];
  for (let rune = rest.pop(); rune !== undefined; rune = rest.pop()) {
    const step = stepOf(rune, rest);
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return steps;
}

/** Which steps may come next: a star may take nothing. */
function withStars(steps: readonly Step[], states: Uint8Array): Uint8Array {
  for (const [index, step] of steps.entries()) {
    if (step === STAR && states[index] === 1) states[index + 1] = 1;
  }
  return states;
}

function takes(step: Step, rune: Bytes): boolean {
  return typeof step === 'function' ? step(rune) : step === rune;
}

function afterRune(steps: readonly Step[], states: Uint8Array, rune: Bytes): Uint8Array {
  const next = new Uint8Array(states.length);
  for (const [index, step] of steps.entries()) {
    if (states[index] !== 1) continue;
    if (step === STAR) next[index] = 1;
    else if (takes(step, rune)) next[index + 1] = 1;
  }
  return withStars(steps, next);
}

/**
 * The lengths of the shortest and the longest beginning of `value` that a shell pattern matches, in bytes; undefined
 * where none does, and for a malformed pattern. An empty beginning is none. Takes time in proportion to the product of
 * both lengths. A star takes slashes, too.
 */
export function matchingPrefix(pattern: Bytes, value: Bytes): { shortest: number; longest: number } | undefined {
  const steps = stepsOf(pattern);
  if (steps === undefined) return undefined;
  let states = withStars(steps, Uint8Array.from([1, ...steps.map(() => 0)]));
  let [length, shortest, longest] = [0, 0, 0];
  for (const rune of runesOf(value)) {
    states = afterRune(steps, states, rune);
    length += rune.length;
    if (states[steps.length] !== 1) continue;
    shortest ||= length;
    longest = length;
  }
  return longest === 0 ? undefined : { shortest, longest };
}

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
