/** A variable, and what is done to its value. */
export interface Expression {
  readonly variable: string;
  /** As it is written; empty for the value itself. */
  readonly operator: string;
  /** Each is text or an expression. */
  readonly args: readonly Part[];
}

export type Part = string | Expression;

/** An expression that is none. */
export class SyntaxProblem extends Error {
  /** Of the text, from 1. */
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const MAX_DEPTH = 64;
/** Characters of a name in a message. */
const MOST_SHOWN = 100;
const NAMES = 'has letters, digits and _ only; write $${ for ${ as text';
const NAME = /[\p{L}\p{Nd}_]+/uy;
const COLONS = /:+/y;
const SLASHES = /\/+/y;
const CASE = /[,^]{1,2}/y;
const REMOVE = /##?|%%?/y;
const REPLACE = /\/[/#%]?/y;
const DEFAULT = /:[-=?+]|=/y;
/** What follows a colon, unless it is a default. Flux's parser loses its place on anything else. */
const OFFSET = /:(?=[\0-\x7f])/y;

/** What text in an expression ends at; `$` as the beginning of an expression ends every text. */
const UNTIL_CLOSED = /[}$]/g;
const UNTIL_COLON = /[:}$]/g;
const ESCAPED_UNTIL_CLOSED = /[}$\\]/g;
const ESCAPED_UNTIL_SLASH = /[/$\\]/g;

/** Reads text as github.com/fluxcd/pkg/envsubst does, its peculiarities included. */
class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Everything: outside of expressions, `$$` means `$`, and another `$` itself. */
  parts(): Part[] {
    const parts: Part[] = [];
    let text = '';
    for (;;) {
      const dollar = this.#text.indexOf('$', this.#at);
      if (dollar < 0) break;
      text += this.#text.slice(this.#at, dollar);
      this.#at = dollar;
      if (this.#isExpression()) {
        parts.push(text, this.#expression());
        text = '';
      } else {
        text += '$';
        this.#at += this.#text.startsWith('$$', dollar) ? 2 : 1;
      }
    }
    return [...parts, text + this.#text.slice(this.#at)].filter((part) => part !== '');
  }

  #isExpression(): boolean {
    return this.#text.startsWith('${', this.#at);
  }

  #fail(message: string): never {
    throw new SyntaxProblem(message, this.#text.slice(0, this.#at).split('\n').length);
  }

  #failAfter(name: string): never {
    const shown = name.slice(0, MOST_SHOWN);
    this.#fail(`bad substitution: after ${shown}, neither } nor an operator such as :- follows, and a name ${NAMES}`);
  }

  /** Takes what the pattern matches here. */
  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }

  #require(pattern: RegExp): string {
    return this.#take(pattern) ?? this.#fail('bad substitution');
  }

  #name(): string {
    const name = this.#take(NAME);
    return name ?? this.#fail(`bad substitution: no name follows \${, which ${NAMES}`);
  }

  #close(): void {
    if (this.#text[this.#at] !== '}') this.#fail('bad substitution: } is missing');
    this.#at += 1;
  }

  #expression(): Expression {
    this.#at += 2;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#fail(`expressions are nested more than ${MAX_DEPTH} deep`);
    const expression = this.#text[this.#at] === '#' ? this.#length() : this.#operation();
    this.#close();
    this.#depth -= 1;
    return expression;
  }

  #length(): Expression {
    this.#at += 1;
    return { variable: this.#name(), operator: '#', args: [] };
  }

  #operation(): Expression {
    const variable = this.#name();
    const readers: readonly (readonly [RegExp, () => readonly Part[]])[] = [
      [DEFAULT, () => this.#defaults()],
      [OFFSET, () => this.#offsets()],
      [CASE, () => []],
      [REMOVE, () => [this.#argument(UNTIL_CLOSED)]],
      [REPLACE, () => this.#replacement()],
    ];
    for (const [pattern, read] of readers) {
      const operator = this.#take(pattern);
      if (operator !== undefined) return { variable, operator, args: read() };
    }
    if (this.#at < this.#text.length && this.#text[this.#at] !== '}') this.#failAfter(variable);
    return { variable, operator: '', args: [] };
  }

  #defaults(): Part[] {
    const args: Part[] = [];
    while (this.#text[this.#at] !== '}') args.push(this.#argument(UNTIL_CLOSED));
    return args;
  }

  #offsets(): Part[] {
    const offset = this.#argument(UNTIL_COLON);
    return this.#take(COLONS) === undefined ? [offset] : [offset, this.#argument(UNTIL_CLOSED)];
  }

  #replacement(): Part[] {
    const pattern = this.#argument(ESCAPED_UNTIL_SLASH);
    this.#require(SLASHES);
    return this.#text[this.#at] === '}' ? [pattern] : [pattern, this.#argument(ESCAPED_UNTIL_CLOSED)];
  }

  /** An expression, or text of at least one character. */
  #argument(end: RegExp): Part {
    if (this.#isExpression()) return this.#expression();
    const text = this.#textUntil(end);
    return text === '' ? this.#fail('bad substitution: something is missing') : text;
  }

  #textUntil(end: RegExp): string {
    let text = '';
    for (;;) {
      end.lastIndex = this.#at;
      const stop = end.exec(this.#text)?.index ?? this.#text.length;
      text += this.#text.slice(this.#at, stop);
      this.#at = stop;
      const kept = stop < this.#text.length && !this.#isExpression() ? this.#kept(end) : 0;
      if (kept === 0) return text;
      this.#at += kept;
      text += this.#text[this.#at - 1] ?? '';
    }
  }

  /** How many characters here mean their last one, although they may end a text: 0 for its end. */
  #kept(end: RegExp): number {
    const [first, second = ''] = this.#text.slice(this.#at, this.#at + 2);
    const isEscapable = end === ESCAPED_UNTIL_CLOSED || end === ESCAPED_UNTIL_SLASH;
    if (first === '$') return isEscapable && second === '$' ? 2 : 1;
    if (first === '\\') return second === '/' || second === '\\' ? 2 : 1;
    return 0;
  }
}

/** The parts of a text with variables. Throws SyntaxProblem. */
export function parseTemplate(text: string): Part[] {
  return new Parser(text).parts();
}
