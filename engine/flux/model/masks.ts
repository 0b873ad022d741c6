import sortBy from 'lodash/sortBy.js';
import uniq from 'lodash/uniq.js';
import { Budget, isFoundAsWord, SecretIndex, type Pattern, type Range } from './secret-index.js';
import { viewsOf, type View } from './text-views.js';

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

/** A part of a secret of several lines, e.g. of a file, is a secret of its own from here on. */
const LONG_PART = 8;
/** Each says one of two things: nobody guesses for long. */
const YAML_WORDS = /^(true|false|null|yes|no|on|off|~)$/i;
/** Parts included: to prepare them takes some hundred milliseconds. */
const MOST_SECRETS = 200_000;
const MOST_CHARACTERS = 16 * 1024 * 1024;
const LONGEST_TEXT = 512 * 1024;
/** Long texts are searched for each doubt: after so many, none is given the benefit of it. */
const MOST_ASKED = 200;

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

/** Its bytes, as views show what they decode. */
function bytesOf(secret: string): string[] {
  return /^[\0-\x7F]*$/.test(secret) ? [] : [Buffer.from(secret).toString('latin1')];
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

/** The secrets with their parts; undefined if there are too many. */
function withParts(secrets: readonly string[]): string[] | undefined {
  const size = secrets.reduce((sum, { length }) => sum + length, 0);
  if (size > MOST_CHARACTERS || secrets.length > MOST_SECRETS) return undefined;
  const all = uniq(secrets.flatMap((secret) => [secret, ...trimmedOf(secret), ...partsOf(secret)]));
  return all.length > MOST_SECRETS ? undefined : all;
}

/** Fewer characters of base64 are a part of other texts, too. */
const LONG_BASE64 = 6;

/**
 * The base64 of a word, with and without what fills it up, and the part that stays the same where one or two bytes
 * stand before it. A view of base64 with more of its characters around it, as in a path, does not show it as a whole.
 */
function base64Of(secret: string): string[] {
  if (!isFoundAsWord(secret)) return [];
  const bytes = Buffer.from(secret);
  const full = bytes.toString('base64');
  const parts = [1, 2].map((before) => {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
    return shifted.toString('base64').slice(before + 1, Math.floor((8 * shifted.length) / 6));
  });
  const texts = [full, full.replace(/=+$/, ''), ...parts.filter(({ length }) => length >= LONG_BASE64)];
  const spelled = texts.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
  return uniq(spelled).filter(({ length }) => length >= 4);
}

function patternsOf(secrets: readonly string[], isSure: boolean): Pattern[] {
  return secrets.flatMap((secret) => [
    ...[secret, ...bytesOf(secret), ...numberSpellings(secret)].map((text) => ({ text, secret, isSure })),
    ...base64Of(secret).map((text) => ({ text, secret, isSure, isBase64: true })),
  ]);
}

/** The range of the first text that a range of a view stands for. */
function originOf({ starts, ends }: View, { from, to }: Range): Range {
  return starts === undefined || ends === undefined ? { from, to } : { from: starts[from] ?? 0, to: ends[to - 1] ?? 0 };
}

/** The text with one mask in place of all ranges that touch each other. */
function withMasks(text: string, ranges: readonly Range[]): string {
  let [result, done, open] = ['', 0, -1];
  for (const { from, to } of sortBy(ranges, ({ from }) => from)) {
    if (from > open) {
      if (open >= 0) done = open;
      result += text.slice(done, from) + MASK;
    }
    open = Math.max(open, to);
  }
  return open < 0 ? text : result + text.slice(open);
}

/** Finds secrets in texts. What it looks for is prepared once, and only when a text has to be looked at. */
export class Masks {
  readonly #sure: readonly string[];
  readonly #doubtful: readonly string[];
  readonly #isPublic: (text: string) => boolean;
  readonly #known = new Map<string, boolean>();
  readonly #areMore: boolean;
  /** Undefined: there are too many. */
  #index: SecretIndex | undefined;
  #isPrepared = false;

  constructor({ sure, doubtful = [], isPublic = () => false, areMore = false }: Secrets) {
    const isSecret = (text: string): boolean => text !== '' && !YAML_WORDS.test(text);
    this.#sure = uniq(sure.filter(isSecret));
    this.#doubtful = uniq(doubtful.filter(isSecret));
    this.#isPublic = isPublic;
    this.#areMore = areMore;
  }

  /** A text that others may read. */
  mask(text: string): string {
    if (text === '' || (this.#sure.length + this.#doubtful.length === 0 && !this.#areMore)) return text;
    if (this.#areMore || text.length > LONGEST_TEXT) return TOO_MUCH;
    const index = this.#prepared();
    const ranges = index && this.#rangesIn(text, index);
    return ranges === undefined ? TOO_MUCH : withMasks(text, ranges);
  }

  /** Undefined if it takes too long to find them all. */
  #rangesIn(text: string, index: SecretIndex): Range[] | undefined {
    const isHidden = ({ isSure, secret }: Pattern): boolean => isSure || this.#isHidden(secret);
    const budget = new Budget();
    const ranges: Range[] = [];
    for (const view of viewsOf({ text })) {
      for (const range of index.find(view.text, isHidden, budget)) ranges.push(originOf(view, range));
      if (budget.isSpent) return undefined;
    }
    return ranges;
  }

  #isHidden(secret: string): boolean {
    const known = this.#known.get(secret);
    if (known !== undefined || this.#known.size >= MOST_ASKED) return known ?? true;
    const isHidden = !this.#isPublic(secret);
    this.#known.set(secret, isHidden);
    return isHidden;
  }

  #prepared(): SecretIndex | undefined {
    if (this.#isPrepared) return this.#index;
    this.#isPrepared = true;
    const [sure, doubtful] = [withParts(this.#sure), withParts(this.#doubtful)];
    if (sure !== undefined && doubtful !== undefined) {
      this.#index = new SecretIndex([...patternsOf(doubtful, false), ...patternsOf(sure, true)]);
    }
    return this.#index;
  }
}

/** A text that others may read, without values that only readers of a Secret may know. */
export function masked(text: string, secrets: readonly string[]): string {
  // A quiet pass says nothing.
  return text === '' ? text : new Masks({ sure: secrets }).mask(text);
}
