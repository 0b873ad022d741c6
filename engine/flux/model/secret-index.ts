/** A text that is looked for. */
export interface Pattern {
  readonly text: string;
  /** The secret that it is a spelling of. */
  readonly secret: string;
  readonly isSure: boolean;
  /** It is base64, which makes no words: it is found anywhere. */
  readonly isBase64?: boolean;
}

/** Where a pattern stands in a text. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Shorter ones stand in many other words. */
const LONG = 4;
/** So many letters, or digits, may be any word or number: they are no secret inside of a longer one. */
const LONGEST_WORD = 7;
const WORD = /^(?:\p{Script=Latin}+|\d+)$/u;

type Kind = 'anywhere' | 'word' | 'short';

/** True if the text is only found as a whole. */
export function isFoundAsWord(text: string): boolean {
  return kindOf({ text }) === 'word';
}

function kindOf({ text, isBase64 = false }: Pick<Pattern, 'text' | 'isBase64'>): Kind {
  if (isBase64) return 'anywhere';
  if (text.length >= LONG) return text.length <= LONGEST_WORD && WORD.test(text) ? 'word' : 'anywhere';
  return text.length > 1 && /^[\p{L}\p{N}]+$/u.test(text) && !/^\d+$/.test(text) ? 'word' : 'short';
}

/** Characters that are compared in one text, some ten milliseconds. */
const MOST_COMPARED = 16 * 1024 * 1024;

const VIEWED = 4;

/** The work on one text has a limit. */
export class Budget {
  #left = MOST_COMPARED;

  /** False once it is spent. */
  spend(characters: number): boolean {
    this.#left -= characters;
    return this.#left >= 0;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }
}

const BLOOM = 1 << 16;

/** A number for four characters. */
function hashAt(text: string, at: number): number {
  const [a, b] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
  const [c, d] = [text.charCodeAt(at + 2), text.charCodeAt(at + 3)];
  return (((a * 31 + b) * 31 + c) * 31 + d) % BLOOM;
}

/** Others cut what they quote: go-yaml after seven characters. */
const CUT = /\.\.\.|…/g;
/** So far before a cut the quote may begin. */
const LONGEST_START = 1_000;

const TOKEN = /[\p{L}\p{N}]+/gu;
const QUOTED = /(["'`])([^"'`]{1,3})\1/g;
/** A text between two signs that separate; the first group stands before a value. */
const CHUNK = /([:=][ \t]?)?(?<![^\s"'`:=,;()[\]{}<>])([^\s"'`:=,;()[\]{}<>]{1,3})(?![^\s"'`:=,;()[\]{}<>])/g;
const LETTER = /[\p{L}\p{N}]/u;

/** Any line has a number or a letter. */
const PLAIN = /^(?:.|\d+)$/u;

/** The place of the first one of these, which are sorted, that is not before a text. */
function firstFrom(sorted: readonly Pattern[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.text ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

export type IsHidden = (pattern: Pattern) => boolean;

/**
 * Finds patterns in texts, each in the way of its kind. Long ones are found wherever they stand; short words, and short
 * numbers, as a whole, because each `test` is a part of `latest`; and what is shorter between signs, digits only in
 * quotes or as a value.
 */
export class SecretIndex {
  readonly #anywhere = new Map<string, Pattern>();
  readonly #words = new Map<string, Pattern>();
  readonly #short = new Map<string, Pattern>();
  /** By their first characters, the lengths of those that are found anywhere, the longest one first once asked for. */
  readonly #lengths = new Map<string, Set<number> | number[]>();
  /** By the first characters of a pattern, the length of the longest one. */
  readonly #longest = new Map<string, number>();
  readonly #bloom = new Uint8Array(BLOOM);
  #sorted: readonly Pattern[] | undefined;

  constructor(patterns: Iterable<Pattern>) {
    const lists = { anywhere: this.#anywhere, word: this.#words, short: this.#short };
    for (const pattern of patterns) {
      const kind = kindOf(pattern);
      // A text that is surely secret counts more.
      if (pattern.isSure || !lists[kind].has(pattern.text)) lists[kind].set(pattern.text, pattern);
      this.#addStart(pattern.text, kind);
    }
  }

  #addStart(text: string, kind: Kind): void {
    if (text.length < LONG) return;
    const start = text.slice(0, LONG);
    this.#longest.set(start, Math.max(this.#longest.get(start) ?? 0, text.length));
    this.#bloom[hashAt(text, 0)] = 1;
    if (kind !== 'anywhere') return;
    const known = this.#lengths.get(start);
    if (known instanceof Set) known.add(text.length);
    else this.#lengths.set(start, new Set([text.length]));
  }

  #lengthsAt(text: string, at: number): readonly number[] {
    if (this.#bloom[hashAt(text, at)] === 0) return [];
    const start = text.slice(at, at + LONG);
    const known = this.#lengths.get(start) ?? [];
    if (Array.isArray(known)) return known;
    const sorted = [...known].sort((a, b) => b - a);
    this.#lengths.set(start, sorted);
    return sorted;
  }

  /** All places of hidden patterns, which may overlap. There may be more once the budget is spent. */
  *find(text: string, isHidden: IsHidden, budget: Budget): Generator<Range> {
    // Each character of a view costs more than one that is compared.
    if (!budget.spend(VIEWED * text.length)) return;
    yield* this.#findAnywhere(text, isHidden, budget);
    if (this.#words.size > 0) yield* this.#findWords(text, isHidden);
    if (this.#short.size > 0) yield* this.#findShort(text, isHidden);
    yield* this.#findStarts(text, isHidden, budget);
  }

  *#findAnywhere(text: string, isHidden: IsHidden, budget: Budget): Generator<Range> {
    if (this.#anywhere.size === 0) return;
    for (let at = 0; at + LONG <= text.length; at += 1) {
      for (const length of this.#lengthsAt(text, at)) {
        if (at + length > text.length) continue;
        if (!budget.spend(length)) return;
        const pattern = this.#anywhere.get(text.slice(at, at + length));
        if (pattern === undefined || !isHidden(pattern)) continue;
        // A shorter one that begins here is in it.
        yield { from: at, to: at + length };
        break;
      }
    }
  }

  *#findWords(text: string, isHidden: IsHidden): Generator<Range> {
    for (const { 0: word, index } of text.matchAll(TOKEN)) {
      const pattern = word.length > LONGEST_WORD ? undefined : this.#words.get(word);
      if (pattern !== undefined && isHidden(pattern)) yield { from: index, to: index + word.length };
    }
  }

  *#findShort(text: string, isHidden: IsHidden): Generator<Range> {
    for (const { 2: word = '', index } of text.matchAll(QUOTED)) {
      if (this.#isShort(word, isHidden)) yield { from: index + 1, to: index + 1 + word.length };
    }
    for (const { 0: whole, 1: sign, 2: word = '', index } of text.matchAll(CHUNK)) {
      const to = index + whole.length;
      if ((sign !== undefined || !PLAIN.test(word)) && this.#isShort(word, isHidden)) {
        yield { from: to - word.length, to };
      }
    }
  }

  #isShort(word: string, isHidden: IsHidden): boolean {
    const pattern = this.#short.get(word);
    return pattern !== undefined && isHidden(pattern);
  }

  /** Where patterns may begin. */
  #starts(text: string): number[] {
    const starts: number[] = [];
    for (let at = 0; at + LONG <= text.length; at += 1) {
      if (this.#bloom[hashAt(text, at)] !== 0 && this.#longest.has(text.slice(at, at + LONG))) starts.push(at);
    }
    return starts;
  }

  /** The beginnings of patterns before each place where somebody cut what he quoted. */
  *#findStarts(text: string, isHidden: IsHidden, budget: Budget): Generator<Range> {
    let [from, first] = [0, 0];
    let starts: readonly number[] | undefined;
    for (const { index: end } of text.matchAll(CUT)) {
      starts ??= this.#starts(text);
      while ((starts[first] ?? Infinity) < Math.max(from, end - LONGEST_START)) first += 1;
      const found = this.#startBefore(text, end, { starts, first }, (range) =>
        this.#isStart(text, range, isHidden, budget),
      );
      if (found === undefined) continue;
      yield found;
      from = end;
    }
  }

  /** The first place of `starts`, from the one at `first`, whose text up to `end` begins a pattern. */
  #startBefore(
    text: string,
    end: number,
    { starts, first }: { readonly starts: readonly number[]; readonly first: number },
    isStart: (range: Range) => boolean,
  ): Range | undefined {
    for (let next = first; next < starts.length; next += 1) {
      const at = starts[next] ?? Infinity;
      if (at + LONG > end) return undefined;
      const isCut = end - at < (this.#longest.get(text.slice(at, at + LONG)) ?? 0);
      if (isCut && isStart({ from: at, to: end })) return { from: at, to: end };
    }
    return undefined;
  }

  #isStart(text: string, { from, to }: Range, isHidden: IsHidden, budget: Budget): boolean {
    if (!budget.spend(to - from)) return false;
    const isWhole = from === 0 || !LETTER.test(text.charAt(from - 1));
    const isMeant: IsHidden = (each) => budget.spend(1) && (isWhole || kindOf(each) === 'anywhere') && isHidden(each);
    return this.#hasStart(text.slice(from, to), isMeant);
  }

  #hasStart(start: string, isMeant: IsHidden): boolean {
    this.#sorted ??= [...this.#anywhere.values(), ...this.#words.values()].sort((a, b) => (a.text < b.text ? -1 : 1));
    const first = firstFrom(this.#sorted, start);
    for (let at = first; at < this.#sorted.length; at += 1) {
      const pattern = this.#sorted[at];
      if (pattern?.text.startsWith(start) !== true) return false;
      if (pattern.text.length > start.length && isMeant(pattern)) return true;
    }
    return false;
  }
}
