import { isSecret } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { isMap } from '#lib/plain.js';
import { RawNumber } from '#lib/json/lossless-json.js';
import { Masks } from './masks.js';

/** Texts that messages may quote, and what is known of them. */
export interface KnownTexts {
  /** From Secrets. */
  readonly secret?: readonly string[];
  /** They may be from Secrets: they are masked unless a public text has them. */
  readonly doubtful?: readonly string[];
  /** Readers of the status know these. */
  readonly public?: readonly string[];
  /** There are more that may be secret: too many to be held. */
  readonly areMore?: boolean;
}

interface Leaves {
  /** Texts and numbers, as text. */
  readonly values: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
}

function isText(value: unknown): value is string | number | RawNumber {
  return typeof value === 'string' || typeof value === 'number' || value instanceof RawNumber;
}

/** The texts at the ends of a tree, and the keys on the way. */
export function leavesOf(tree: unknown): Leaves {
  const [values, keys] = [new Set<string>(), new Set<string>()];
  // Aliases make one map stand in many places.
  const seen = new Set<unknown>();
  const open = [tree];
  while (open.length > 0) {
    const next = open.pop();
    if (isText(next)) values.add(String(next));
    if (seen.has(next) || !(isMap(next) || Array.isArray(next))) continue;
    seen.add(next);
    if (isMap(next)) for (const key of Object.keys(next)) keys.add(key);
    for (const item of Object.values(next)) open.push(item);
  }
  return { values, keys };
}

/** The data of an object if it is a Secret, or a list of them. */
export function dataOf(object: unknown): string[] {
  if (!isMap(object)) return [];
  const { kind, items, data, stringData } = object;
  if (Array.isArray(items)) {
    const ofKind = kind === 'SecretList' ? { apiVersion: 'v1', kind: 'Secret' } : {};
    return items.flatMap((item) => dataOf(isMap(item) ? { ...ofKind, ...item } : item));
  }
  if (!isSecret(object as unknown as KubeObject)) return []; // only its kind is read
  const decoded = [...leavesOf(data).values].map((text) => Buffer.from(text, 'base64').toString());
  return [...decoded, ...leavesOf(stringData).values];
}

const WORD = /[\p{L}\p{N}]/u;
/** A text that has a word so often as a part of longer ones is not searched to its end: users choose both. */
const MOST_HITS = 1_000;
/** Characters of public texts that are searched in one reconciliation, some ten milliseconds. */
const MOST_SEARCHED = 64 * 1024 * 1024;

/** True where the text has the word, not as a part of a longer one. */
function hasWord(text: string, word: string): boolean {
  let at = text.indexOf(word);
  for (let hits = 0; at >= 0 && hits < MOST_HITS; hits += 1) {
    const around = [text.charAt(at - 1), text.charAt(at + word.length)];
    if (!around.some((each) => WORD.test(each))) return true;
    at = text.indexOf(word, at + word.length);
  }
  return false;
}

/** Searches public texts for words, until that takes too long: then nothing is known to be public. */
function searching(texts: readonly string[]): (word: string) => boolean {
  const size = texts.reduce((sum, { length }) => sum + length, 0);
  let searched = 0;
  return (word) => {
    searched += size;
    return searched <= MOST_SEARCHED && texts.some((text) => hasWord(text, word));
  };
}

/** Some errors of the platform cannot be written; their messages are their own. */
function write(error: Error, field: 'message' | 'stack', text: string): void {
  if (error[field] !== text) Reflect.set(error, field, text);
}

/** Collects, during one reconciliation, what no status, event or log may show, and masks it in texts. */
export class SecretTexts {
  readonly #sources = new Map<string, () => KnownTexts>();
  #masks: Masks | undefined;

  /** `name`: of the source, which takes the place of one of that name. It is asked when a text is masked, if ever. */
  add(name: string, source: () => KnownTexts): void {
    this.#sources.set(name, source);
    this.#masks = undefined;
  }

  /** The text without secrets: before it is cut, because no mask finds half a secret. */
  mask(text: string): string {
    this.#masks ??= this.#prepare();
    return this.#masks.mask(text);
  }

  /** The same error with its messages masked, those of its causes as well. */
  maskError(error: unknown): unknown {
    const seen = new Set<unknown>();
    for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
      seen.add(current);
      write(current, 'message', this.mask(current.message));
      if (current.stack !== undefined) write(current, 'stack', this.mask(current.stack));
    }
    return error;
  }

  #prepare(): Masks {
    const known = [...this.#sources.values()].map((source) => source());
    const texts = known.flatMap((each) => each.public ?? []);
    return new Masks({
      sure: known.flatMap(({ secret = [] }) => secret),
      doubtful: known.flatMap(({ doubtful = [] }) => doubtful),
      areMore: known.some(({ areMore }) => areMore === true),
      isPublic: searching(texts),
    });
  }
}
