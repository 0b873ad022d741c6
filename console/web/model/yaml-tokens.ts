import { plainType } from '#lib/yaml/yaml.js';

/** What a part of a line is; it decides the colour only. */
export type TokenKind = 'key' | 'string' | 'number' | 'word' | 'comment' | 'anchor' | 'mark' | 'plain';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/** What lines before leave open. */
export interface LineState {
  /** Column of the key or dash of a block scalar, which lasts while lines are indented deeper; -1: there is none. */
  readonly block: number;
  /** A quoted string that goes on. */
  readonly quote: '' | '"' | "'";
  /** Brackets and braces that are open. */
  readonly depth: number;
}

export const FIRST_LINE: LineState = { block: -1, quote: '', depth: 0 };

export interface LineTokens {
  /** Their texts are the line. */
  readonly tokens: readonly Token[];
  readonly next: LineState;
}

const REST = {
  '"': /(?:[^"\\]|\\[^])*(?:("|$)|\\$)/y,
  "'": /(?:[^']|'')*(?:(')|$)/y,
} as const;
const BLANKS = /[ \t]+/y;
const COMMENT = /#[^]*/y;
const DOCUMENT = /(?:---|\.\.\.)(?=[ \t]|$)|%[^]*/y;
const MARK = /[-?:](?=[ \t]|$)/y;
const FLOW_MARK = /[[\]{},]|[?:](?=[ \t,[\]{}]|$)/y;
const OPENING = /[[{]/y;
const ANCHOR = /[&*!][^\s,[\]{}]*/y;
const BLOCK = /[|>][-+0-9]*(?=[ \t]*(?:[ \t]#.*)?$)/y;
/** Up to a comment, or to the colon behind a key. */
const PLAIN = /(?:[^\s:#]|:(?![ \t]|$)|(?<![ \t])#|[ \t]+(?![ \t#]|$))+/y;
const FLOW_PLAIN = /(?:[^\s:#,[\]{}]|:(?![ \t,[\]{}]|$)|(?<![ \t])#|[ \t]+(?![ \t#]|$))+/y;
const COLON = /[ \t]*:(?=[ \t]|$)/y;
const FLOW_COLON = /[ \t]*:(?=[ \t,[\]{}]|$)/y;

/** A longer line has no colours: nobody reads it. */
const MOST_CHARACTERS = 2_000;

const OF_TYPE = { null: 'word', boolean: 'word', integer: 'number', number: 'number', string: 'plain' } as const;

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

class Scanner {
  readonly tokens: Token[] = [];
  #at = 0;
  #block = -1;
  #quote: LineState['quote'];
  #depth: number;
  readonly #line: string;

  constructor(line: string, { quote, depth }: LineState) {
    this.#line = line;
    this.#quote = quote;
    this.#depth = depth;
  }

  scan(): LineTokens {
    if (this.#quote !== '') this.#string(this.#quote);
    else if (this.#depth === 0 && this.#take(DOCUMENT, 'mark')) this.#depth = 0;
    while (this.#at < this.#line.length) this.#next();
    return { tokens: this.tokens, next: { block: this.#block, quote: this.#quote, depth: this.#depth } };
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#line)?.[0] ?? '';
  }

  #push(kind: TokenKind, text: string): void {
    this.tokens.push({ kind, text });
    this.#at += text.length;
  }

  #take(pattern: RegExp, kind: TokenKind): boolean {
    const text = this.#match(pattern);
    if (text !== '') this.#push(kind, text);
    return text !== '';
  }

  #isAfterBlank(): boolean {
    return this.#at === 0 || /[ \t]/.test(this.#line[this.#at - 1] ?? '');
  }

  #isKey(): boolean {
    return this.#match(this.#depth > 0 ? FLOW_COLON : COLON) !== '';
  }

  #next(): void {
    if (this.#take(BLANKS, 'plain')) return;
    if (this.#isAfterBlank() && this.#take(COMMENT, 'comment')) return;
    if (this.#marks() || this.#take(ANCHOR, 'anchor')) return;
    const [first = ''] = this.#line.slice(this.#at, this.#at + 1);
    if (first === '"' || first === "'") {
      this.#at += 1;
      this.#string(first, first);
    } else this.#plain();
  }

  #marks(): boolean {
    return this.#depth === 0 ? this.#blockMarks() : this.#flowMark();
  }

  #blockMarks(): boolean {
    if (this.#match(OPENING) !== '') return this.#flowMark();
    if (this.#take(MARK, 'mark')) return true;
    if (this.#match(BLOCK) === '') return false;
    this.#block = this.#ownerColumn();
    return this.#take(BLOCK, 'mark');
  }

  #flowMark(): boolean {
    const mark = this.#match(FLOW_MARK);
    if (mark === '') return false;
    this.#push('mark', mark);
    if ('[{'.includes(mark)) this.#depth += 1;
    else if (']}'.includes(mark)) this.#depth -= 1;
    return true;
  }

  /** Of the last key, or else of the last dash. */
  #ownerColumn(): number {
    let [column, ofKey, ofDash] = [0, -1, 0];
    for (const { kind, text } of this.tokens) {
      if (kind === 'key') ofKey = column;
      if (text === '-') ofDash = column;
      column += text.length;
    }
    return ofKey < 0 ? ofDash : ofKey;
  }

  /** `opening` is already behind it. */
  #string(quote: '"' | "'", opening = ''): void {
    const pattern = REST[quote];
    pattern.lastIndex = this.#at;
    const [text = '', end] = pattern.exec(this.#line) ?? [];
    this.#at -= opening.length;
    this.tokens.push({ kind: 'string', text: opening + text });
    this.#at += opening.length + text.length;
    this.#quote = end === quote ? '' : quote;
    const last = this.tokens.length - 1;
    if (this.#quote === '' && opening !== '' && this.#isKey())
      this.tokens[last] = { kind: 'key', text: opening + text };
  }

  #plain(): void {
    const text = this.#match(this.#depth > 0 ? FLOW_PLAIN : PLAIN);
    // What begins no scalar stands for itself.
    const taken = text === '' ? this.#line.charAt(this.#at) : text;
    this.#push(OF_TYPE[plainType(taken)], taken);
    if (this.#isKey()) this.tokens[this.tokens.length - 1] = { kind: 'key', text: taken };
  }
}

function isInBlock(line: string, { block }: LineState): boolean {
  return block >= 0 && (line.trim() === '' || indentOf(line) > block);
}

/**
 * The parts of one line of YAML, by what the lines before it left open. It colours what people read, and decides
 * nothing: odd YAML may be coloured wrongly. Never throws; takes time in proportion to the line.
 */
export function lineTokens(line: string, state: LineState): LineTokens {
  if (line.length > MOST_CHARACTERS) return { tokens: [{ kind: 'plain', text: line }], next: state };
  if (isInBlock(line, state)) return { tokens: line === '' ? [] : [{ kind: 'string', text: line }], next: state };
  return new Scanner(line, state).scan();
}
