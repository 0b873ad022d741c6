import jsonPatch from 'fast-json-patch';
import uniq from 'lodash/uniq.js';
import { goText } from '#lib/json/lossless-json.js';

/** It stands in place of a secret. */
const MASK = '*****';

/** A text instead of one in which secrets cannot be looked for. */
export const TOO_MUCH = 'withheld: it may quote values from Secrets, and there are too many of them to be masked';

/** Texts that others may not read. */
export interface Secrets {
  /** They are masked wherever they stand. */
  readonly sure: readonly string[];
  /** Texts that may be secret: those that `isPublic` knows are shown. */
  readonly doubtful?: readonly string[];
  readonly isPublic?: (text: string) => boolean;
  /** Not all of them are here. */
  readonly areMore?: boolean;
}

/** A secret of so many characters is masked inside of other words, too. */
const LONG = 4;
/** A part of a secret of several lines, e.g. of a file, is a secret of its own from here on. */
const LONG_PART = 8;
/** Each says one of two things: nobody guesses for long. */
const YAML_WORDS = /^(true|false|null|yes|no|on|off|~)$/i;
const MOST_SECRETS = 10_000;
const LONGEST_TEXT = 512 * 1024;
/** Longer secrets are only looked for in texts that may hold them. */
const USUAL_LENGTH = 4 * 1024;
/** Characters that are compared in one text, some milliseconds. */
const MOST_COMPARED = 16 * 1024 * 1024;
/** Long texts are searched for each doubt: after so many, none is given the benefit of it. */
const MOST_ASKED = 200;
/** Others cut what they quote: go-yaml after seven characters. */
const CUT = /\.\.\.|…/g;
/** So far before a cut the quote may begin. */
const LONGEST_START = 1_000;

interface Candidate {
  readonly text: string;
  readonly secret: string;
  readonly isSure: boolean;
}

/** The texts that Go makes of a number: JSON schemas group its digits, and templates know only doubles. */
function numberSpellings(secret: string): string[] {
  if (!/^-?\d{4,}(\.\d+)?$/.test(secret)) return [];
  const [whole = '', fraction] = secret.split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const double = Number(secret)
    .toExponential()
    .replace(/e\+(\d)$/, 'e+0$1');
  return [fraction === undefined ? grouped : `${grouped}.${fraction}`, double];
}

/**
 * As it is, as a server quotes it, alone or in JSON, in a string of YAML, as a step of a JSON pointer, in a URL, and as
 * the data of a Secret.
 */
function spellingsOf(secret: string): string[] {
  const quoted = [JSON.stringify(secret), goText(secret)].map((text) => text.slice(1, -1));
  const base64 = Buffer.from(secret).toString('base64');
  const all = [
    ...[secret, ...quoted, secret.replaceAll("'", "''"), jsonPatch.escapePathComponent(secret)],
    ...[encodeURIComponent(secret.replaceAll(/\p{Cs}/gu, '\uFFFD')), base64, base64.replace(/=+$/, '')],
    ...numberSpellings(secret),
  ];
  return [...new Set(all)];
}

/** The lines of a text, and what they set: a program prints them one by one. */
function partsOf(secret: string): string[] {
  if (!secret.includes('\n')) return [];
  const lines = secret.split('\n').map((line) => line.trim());
  const set = lines.map((line) => /^[\w.-]{1,100}\s*[:=]\s*["']?([^"']*)["']?,?$/.exec(line)?.[1] ?? '');
  return [...lines, ...set].filter(({ length }) => length >= LONG_PART);
}

/** Programs read a secret without the line break at its end, and print it so. */
function trimmedOf(secret: string): string[] {
  const trimmed = secret.trim();
  return trimmed === secret || trimmed === '' ? [] : [trimmed];
}

function withParts(secrets: readonly string[]): string[] {
  if (secrets.length > MOST_SECRETS) return [...secrets];
  return uniq(secrets.flatMap((secret) => [secret, ...trimmedOf(secret), ...partsOf(secret)]));
}

/** By their first characters, the longest one first. */
class Index {
  readonly #byStart = new Map<string, Candidate[]>();

  constructor(candidates: Iterable<Candidate>) {
    for (const candidate of candidates) {
      const start = candidate.text.slice(0, LONG);
      const known = this.#byStart.get(start);
      if (known === undefined) this.#byStart.set(start, [candidate]);
      else known.push(candidate);
    }
    for (const found of this.#byStart.values()) found.sort((a, b) => b.text.length - a.text.length);
  }

  /** The text without the candidates that are `hidden`; undefined if that takes too long. */
  masked(text: string, isHidden: (candidate: Candidate) => boolean): string | undefined {
    let [result, from, compared] = ['', 0, 0];
    for (let at = 0; at + LONG <= text.length;) {
      let length = 0;
      for (const candidate of this.#byStart.get(text.slice(at, at + LONG)) ?? []) {
        compared += candidate.text.length;
        if (compared > MOST_COMPARED) return undefined;
        if (!text.startsWith(candidate.text, at) || !isHidden(candidate)) continue;
        ({ length } = candidate.text);
        break;
      }
      if (length === 0) {
        at += 1;
        continue;
      }
      result += text.slice(from, at) + MASK;
      at += length;
      from = at;
    }
    return result + text.slice(from);
  }

  /** The text without the beginning of a candidate before each place where somebody cut it. */
  withoutStarts(text: string, isHidden: (candidate: Candidate) => boolean): string {
    let [result, from] = ['', 0];
    for (const { index: end } of text.matchAll(CUT)) {
      for (let at = Math.max(from, end - LONGEST_START); at + LONG <= end; at += 1) {
        const found = this.#byStart.get(text.slice(at, at + LONG)) ?? [];
        const start = text.slice(at, end);
        if (!found.some((each) => each.text.length > start.length && each.text.startsWith(start) && isHidden(each))) {
          continue;
        }
        result += text.slice(from, at) + MASK;
        from = end;
        break;
      }
    }
    return result + text.slice(from);
  }
}

function candidatesOf(secrets: readonly string[], isSure: boolean): Candidate[] {
  return secrets.flatMap((secret) => spellingsOf(secret).map((text) => ({ text, secret, isSure })));
}

/** Finds secrets in texts. What it looks for is prepared once, and only when a text has to be looked at. */
export class Masks {
  readonly #sure: readonly string[];
  readonly #doubtful: readonly string[];
  readonly #isPublic: (text: string) => boolean;
  readonly #known = new Map<string, boolean>();
  readonly #isTooMuch: boolean;
  #usual: Index | undefined;
  #all: Index | undefined;

  constructor({ sure, doubtful = [], isPublic = () => false, areMore = false }: Secrets) {
    const isSecret = (text: string): boolean => text !== '' && !YAML_WORDS.test(text);
    this.#sure = withParts(uniq(sure.filter(isSecret)));
    this.#doubtful = withParts(uniq(doubtful.filter(isSecret)));
    this.#isPublic = isPublic;
    this.#isTooMuch = areMore || this.#sure.length + this.#doubtful.length > MOST_SECRETS;
  }

  /** A text that others may read. */
  mask(text: string): string {
    if (text === '' || (this.#sure.length + this.#doubtful.length === 0 && !this.#isTooMuch)) return text;
    if (this.#isTooMuch || text.length > LONGEST_TEXT) return TOO_MUCH;
    const index = this.#indexFor(text);
    const isHidden = ({ isSure, secret }: Candidate): boolean => isSure || this.#isHidden(secret);
    const found = index.masked(text, isHidden);
    return found === undefined ? TOO_MUCH : this.#withoutWords(index.withoutStarts(found, isHidden));
  }

  #isHidden(secret: string): boolean {
    const known = this.#known.get(secret);
    if (known !== undefined || this.#known.size >= MOST_ASKED) return known ?? true;
    const isHidden = !this.#isPublic(secret);
    this.#known.set(secret, isHidden);
    return isHidden;
  }

  #indexFor({ length }: string): Index {
    if (length <= USUAL_LENGTH) return (this.#usual ??= this.#index(USUAL_LENGTH));
    return (this.#all ??= this.#index(LONGEST_TEXT));
  }

  #index(most: number): Index {
    const isLooked = ({ length }: string): boolean => length >= LONG && length <= most;
    const sure = candidatesOf(this.#sure.filter(isLooked), true);
    const doubtful = candidatesOf(this.#doubtful.filter(isLooked), false);
    // A text that is surely secret counts more.
    return new Index(new Map([...doubtful, ...sure].map((each) => [each.text, each])).values());
  }

  /** Short ones are no part of another word; digits and single characters are only told from others by quotes. */
  #withoutWords(text: string): string {
    const isShort = ({ length }: string): boolean => length < LONG;
    const doubtful = this.#doubtful.filter((each) => isShort(each) && text.includes(each) && this.#isHidden(each));
    const short = new Set([...this.#sure.filter(isShort), ...doubtful]);
    if (short.size === 0) return text;
    return text
      .replaceAll(/(["'`])([^"'`]{1,3})\1/g, (whole, quote: string, word: string) =>
        short.has(word) ? `${quote}${MASK}${quote}` : whole,
      )
      .replaceAll(/[\p{L}\p{N}_]+/gu, (word) =>
        word.length > 1 && !/^\d+$/.test(word) && short.has(word) ? MASK : word,
      );
  }
}

/** A text that others may read, without values that only readers of a Secret may know. */
export function masked(text: string, secrets: readonly string[]): string {
  // A quiet pass says nothing.
  return text === '' ? text : new Masks({ sure: secrets }).mask(text);
}
