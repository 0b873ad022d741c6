import { goPattern } from '../text/go-pattern.js';

/** Most characters of one text. V8 aborts the process, without an exception, if a text is far longer. */
const MOST_CHARACTERS = 1024 * 1024;
/** Most items of one list that an expression makes. */
const MOST_ITEMS = 10_000;
/** Most characters that one evaluation makes, including intermediate values. */
const MOST_MADE = 16 * 1024 * 1024;
/** Most comparisons of characters in one search: V8 may compare each with each, and nothing interrupts it. */
const MOST_COMPARISONS = 100_000_000;
/** Most characters of a duration: parsing takes time quadratic in the length. */
const MOST_OF_DURATION = 1_000;
/** Most characters of a pattern that RE2 cannot parse. */
const MOST_OF_PATTERN = 1_000;
const MOST_OF_MATCHED = 10_000;
/** Most patterns that are kept for the next evaluation. */
const MOST_PATTERNS = 20;
/** Size of a list item, in characters. */
const ITEM = 4;
/** Most characters of the parsed value per character of JSON. */
const PARSED = 8;

type Arguments = readonly unknown[];

function lengthOf(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}

function ensureText(length: number): number {
  if (length > MOST_CHARACTERS) throw new RangeError(`it makes a text of more than ${MOST_CHARACTERS} characters`);
  return length;
}

function ensureList(length: number): number {
  if (length > MOST_ITEMS) throw new RangeError(`it makes a list of more than ${MOST_ITEMS} items`);
  return length;
}

function ensureSearch(text: string, part: string): void {
  if ((text.length - part.length + 1) * part.length > MOST_COMPARISONS) {
    throw new RangeError('it searches a long text for a long text');
  }
}

function searched([text, part]: Arguments): number {
  if (typeof text === 'string' && typeof part === 'string') ensureSearch(text, part);
  return 0;
}

/** How often a text contains a part, counted up to `most` and one more. */
function occurrences(text: string, part: string, most: number): number {
  ensureSearch(text, part);
  if (part === '') return text.length + 1;
  let count = 0;
  for (let at = text.indexOf(part); at >= 0 && count <= most; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

function sumSize([a, b]: Arguments): number {
  if (Array.isArray(a) && Array.isArray(b)) return ITEM * ensureList(a.length + b.length);
  return ensureText(lengthOf(a) + lengthOf(b));
}

function replacedSize([text, from, to, count]: Arguments): number {
  if (typeof text !== 'string' || typeof from !== 'string' || typeof to !== 'string') return 0;
  const most = typeof count === 'bigint' && count >= 0n ? Number(count) : text.length + 1;
  const found = Math.min(occurrences(text, from, most), most);
  return ensureText(text.length + found * (to.length - from.length));
}

function splitSize([text, separator]: Arguments): number {
  if (typeof text !== 'string' || typeof separator !== 'string') return 0;
  const pieces = separator === '' ? text.length : occurrences(text, separator, MOST_ITEMS) + 1;
  return text.length + ITEM * ensureList(pieces);
}

function joinedSize([list, separator = '']: Arguments): number {
  if (!Array.isArray(list)) return 0;
  let length = Math.max(0, list.length - 1) * lengthOf(separator);
  for (const item of list) length = ensureText(length + lengthOf(item));
  return ensureText(length);
}

function durationSize([text]: Arguments): number {
  if (lengthOf(text) > MOST_OF_DURATION) {
    throw new RangeError(`a duration has more than ${MOST_OF_DURATION} characters`);
  }
  return 0;
}

function times(factor: number): (all: Arguments) => number {
  return (all) => factor * all.reduce<number>((sum, value) => sum + lengthOf(value), 0);
}

/**
 * The size in characters of the result of each operator or function, by its arguments. Functions that are not listed
 * return nothing larger than an argument, in at most linear time. All throw RangeError above a limit.
 */
const SIZES: ReadonlyMap<string, (all: Arguments) => number> = new Map([
  ['+', sumSize],
  ['replace', replacedSize],
  ['split', splitSize],
  ['join', joinedSize],
  ['contains', searched],
  ['indexOf', searched],
  ['lastIndexOf', searched],
  ['duration', durationSize],
  ['reverse', times(1)],
  ['charAt', times(1)],
  ['string', times(1)],
  ['decode', times(1)],
  ['encode', times(2)],
  ['base64', times(2)],
  ['hex', times(2)],
  // One lower-case character may become three upper-case characters, or three bytes.
  ['upperAscii', times(3)],
  ['lowerAscii', times(3)],
  ['bytes', times(3)],
  ['json', times(PARSED)],
]);

/**
 * Compiles a pattern for RE2. Short patterns with syntax that only JavaScript has, such as `(?=`, still work, as they
 * did before RE2 was used.
 */
function patternOf(pattern: string): (text: string) => boolean {
  try {
    return goPattern(pattern);
  } catch (error: unknown) {
    // A pattern that RE2 rejects for its size could mean something else in JavaScript.
    const isOtherSyntax = error instanceof RangeError && error.cause !== undefined && !/\\[pP]/.test(pattern);
    if (!isOtherSyntax || pattern.length > MOST_OF_PATTERN) throw error;
    const expression = new RegExp(pattern);
    return (text) => {
      if (text.length > MOST_OF_MATCHED) throw error;
      // V8 interrupts this when the time limit is over.
      return expression.test(text);
    };
  }
}

/** Unsigned integers are the only objects that may be keys. */
function isKey(value: unknown): boolean {
  return ['string', 'bigint', 'number', 'boolean'].includes(typeof value) || value?.constructor.name === 'UnsignedInt';
}

/**
 * Counts the sizes of all values of one evaluation before they are made. All methods throw RangeError above a limit.
 */
export class CelSizes {
  #made = 0;
  #isComplete = true;
  #patterns = new Map<string, (text: string) => boolean>();

  /** Call it before an evaluation. */
  begin(): void {
    // An interrupted evaluation may have left patterns incomplete.
    if (!this.#isComplete || this.#patterns.size > MOST_PATTERNS) this.#patterns = new Map();
    this.#isComplete = false;
    this.#made = 0;
  }

  /** Call it after an evaluation that was not interrupted. */
  complete(): void {
    this.#isComplete = true;
  }

  #count(characters: number): void {
    this.#made += characters;
    if (this.#made > MOST_MADE) throw new RangeError(`it makes more than ${MOST_MADE} characters in all`);
  }

  /** Call it before an operator or a function. */
  before(name: string, all: Arguments): void {
    for (const value of all) {
      if (lengthOf(value) > MOST_CHARACTERS) {
        throw new RangeError(`it reads a text of more than ${MOST_CHARACTERS} characters`);
      }
    }
    this.#count(SIZES.get(name)?.(all) ?? 0);
  }

  /** Call it before a value becomes a map key: a list would become a text of any length. */
  key(value: unknown): void {
    if (!isKey(value)) throw new RangeError('a key is not text, a number, true or false');
    this.#count(ensureText(lengthOf(value)));
  }

  /** Matches with RE2, as everywhere in Kubernetes: in linear time, and without native code. */
  matches(text: string, pattern: string): boolean {
    const test = this.#patterns.get(pattern) ?? patternOf(pattern);
    this.#patterns.set(pattern, test);
    return test(text);
  }
}
