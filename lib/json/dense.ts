import { stringEnd } from './lossless-json.js';
import { keptBytes } from './nesting.js';

/** Bytes of memory that any object may take, however short its text is. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Memory that a longer one may take, as a multiple of its text. What people write takes two to five times as much. */
const MOST_RATIO = 8;
const [COMMA_BYTES, PART_BYTES] = [keptBytes(','), keptBytes('[')];
/**
 * Lists and maps with more memory than this go: first large ones, then smaller ones, until the rest is small enough. What
 * names a cluster or a release is smaller.
 */
const STEPS = [65_536, 8_192, 2_048] as const;

/** A field at the top of an object, where an API server keeps no field that its schema lacks. */
const MARK = 'gitops.kubesphere.io/cut';

/** True for an object of which `cutDense` left something out: nothing follows from what it lacks. */
export function isCut(object: object): boolean {
  return Object.hasOwn(object, MARK);
}

/** The problem of such an object, and the way out; undefined if the object is whole. */
export function cutProblem(object: object): string | undefined {
  if (!isCut(object)) return undefined;
  return 'spec has so many lists and maps that it was not read whole: remove some of them, e.g. from its values';
}

const QUOTE = 0x22;
const [LIST, LIST_END, MAP, MAP_END, COMMA] = [0x5b, 0x5d, 0x7b, 0x7d, 0x2c];

type Range = readonly [begin: number, end: number];

/** Walks the lists and maps of a JSON text without a call per level. */
abstract class Walk {
  protected readonly text: string;
  #key: Range = [0, 0];

  constructor(text: string) {
    this.text = text;
  }

  /** At the first character of a list or map. */
  protected abstract open(begin: number): void;
  /** After the last character of one. */
  protected abstract close(end: number): void;
  protected abstract other(bytes: number): void;

  /** The key of the list or map that begins here; empty for an item of a list. */
  protected keyAt(begin: number): string {
    const [start, end] = this.#key;
    return end + 2 === begin ? this.text.slice(start, end) : '';
  }

  protected run(): void {
    const { text } = this;
    let bytes = 0;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      bytes += code === COMMA ? COMMA_BYTES : 1;
      if (code === QUOTE) {
        const end = stringEnd(text, index + 1);
        this.#key = [index + 1, end];
        bytes += end - index;
        index = end;
      } else if (code === LIST || code === MAP || code === LIST_END || code === MAP_END) {
        this.other(bytes);
        bytes = 0;
        if (code === LIST || code === MAP) this.open(index);
        else this.close(index + 1);
      }
    }
  }
}

/** Finds the objects of an answer: the items of a list, the object of an event, or the whole of it. */
class Objects extends Walk {
  readonly found: Range[] = [];
  #depth = 0;
  /** How deep an object is, and where it began. */
  #level = 0;
  #begin = 0;

  constructor(text: string) {
    super(text);
    this.run();
    if (this.found.length === 0) this.found.push([0, text.length]);
  }

  protected open(begin: number): void {
    this.#depth += 1;
    if (this.#depth === 2) this.#level = { items: 3, object: 2 }[this.keyAt(begin)] ?? 0;
    if (this.#depth === this.#level) this.#begin = begin;
  }

  protected close(end: number): void {
    if (this.#depth === this.#level) this.found.push([this.#begin, end]);
    this.#depth -= 1;
  }

  protected other(): void {
    // Only lists and maps matter.
  }
}

/** From how deep on lists and maps may go, by their field at the top. Nobody but users writes there. */
const OPEN_FIELDS: Readonly<Record<string, number>> = { spec: 3, data: 2 };
/** Deeper than any text. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** One object without its lists and maps that take more than `most`. */
class Cut extends Walk {
  readonly #most: number;
  readonly #cuts: Range[] = [];
  readonly #begins: number[] = [];
  readonly #bytes: number[] = [0];
  /** From how deep on they may go here. */
  #from = NEVER;

  constructor(text: string, most: number) {
    super(text);
    this.#most = most;
    this.run();
  }

  get result(): string {
    const kept: string[] = [];
    let next = 0;
    for (const [begin, end] of this.#cuts) {
      kept.push(this.text.slice(next, begin + 1));
      next = end - 1;
    }
    return [...kept, this.text.slice(next)].join('');
  }

  protected open(begin: number): void {
    this.#begins.push(begin);
    this.#bytes.push(PART_BYTES);
    const depth = this.#begins.length;
    if (depth === 2) this.#from = OPEN_FIELDS[this.keyAt(begin)] ?? NEVER;
  }

  protected close(end: number): void {
    const depth = this.#begins.length;
    const begin = this.#begins.pop() ?? 0;
    const bytes = this.#bytes.pop() ?? 0;
    const goes = depth >= this.#from && bytes > this.#most;
    if (goes) this.#cut(begin, end);
    this.other(goes ? PART_BYTES : bytes);
    if (depth === 2) this.#from = NEVER;
  }

  protected other(bytes: number): void {
    const last = this.#bytes.length - 1;
    this.#bytes[last] = (this.#bytes[last] ?? 0) + bytes;
  }

  /** The cuts inside of it go with it. */
  #cut(begin: number, end: number): void {
    while ((this.#cuts.at(-1)?.[0] ?? -1) > begin) this.#cuts.pop();
    this.#cuts.push([begin, end]);
  }
}

function isDense(text: string): boolean {
  const bytes = keptBytes(text);
  return bytes > MOST_BYTES && bytes > MOST_RATIO * text.length;
}

function cutObject(text: string): string {
  let rest = text;
  for (const most of STEPS) if (isDense(rest)) rest = new Cut(rest, most).result;
  return rest === text ? text : `{"${MARK}":true,${rest.slice(1)}`;
}

/**
 * An answer of the API server in JSON: an object, a list of some, or an event. Of an object that would take more than
 * 4 MiB, and more than eight times its text, in memory, the largest lists and maps of its `spec` or `data` are empty, and
 * `isCut` says so: a list of empty objects takes twenty times its text, and one tenant must not fill the memory.
 * In linear time.
 */
export function cutDense(text: string): string {
  // No character counts more than the first one of a list.
  const shortest = MOST_BYTES / PART_BYTES;
  if (text.length <= shortest) return text;
  const kept: string[] = [];
  let next = 0;
  for (const [begin, end] of new Objects(text).found) {
    if (end - begin <= shortest) continue;
    const object = text.slice(begin, end);
    if (!isDense(object)) continue;
    kept.push(text.slice(next, begin), cutObject(object));
    next = end;
  }
  return [...kept, text.slice(next)].join('');
}
