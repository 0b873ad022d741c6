/** Ranges of characters that a class of Unicode is counted as. */
const UNICODE = 400;
/** Ranges that cost as much as one part. */
const RANGES = 50;

/** What a pattern is made of; the order matters. A `{` that repeats nothing is a character. */
const TOKENS: readonly (readonly [
  kind: 'flags' | 'text' | 'class' | 'repeat' | 'open' | 'close' | 'one',
  token: RegExp,
])[] = [
  // Nothing by itself: a repetition behind it is one of what is before it.
  ['flags', /\(\?[a-zA-Z-]+\)/y],
  ['text', /\\Q[\s\S]*?(?:\\E|$)/y],
  ['class', /\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]?/y],
  ['repeat', /\{(\d+)(?:(,)(\d*))?\}|[*+?]/y],
  ['open', /\((?:\?(?:[a-zA-Z-]*:|P?<[^>]*>))?/y],
  ['close', /\)/y],
  ['one', /\\(?:[pP]\{[^}]*\}|[pP][\s\S]|x\{[^}]*\}|[\s\S])|[\s\S]/uy],
];

/** One end of a range in a class. */
const END = String.raw`(?:\\x\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2}|\\[\s\S]|[\s\S])`;
const RANGE = new RegExp(`(${END})-(${END})`, 'gu');
/** Characters of a range that cost as much as one part, if each is looked up with its other cases. */
const FOLDED = 500;

function codeOf(end: string): number {
  const hex = /^\\x\{?([0-9a-fA-F]+)/.exec(end)?.[1];
  return (hex === undefined ? end.replace(/^\\(?=.)/su, '').codePointAt(0) : parseInt(hex, 16)) ?? 0;
}

/** Without regard to case, each character of each range is looked up. */
function foldedSize(text: string): number {
  const widths = [...text.matchAll(RANGE)].map(([, from = '', to = '']) => Math.max(0, codeOf(to) - codeOf(from)));
  return Math.ceil(widths.reduce((sum, width) => sum + width, 0) / FOLDED);
}

/** A class is copied wherever it is repeated. */
function classSize(text: string, isFolded: boolean): number {
  const unicode = text.match(/\\[pP]/g)?.length ?? 0;
  const ranges = (text.length + unicode * UNICODE) * (isFolded ? 2 : 1);
  return 1 + Math.floor(ranges / RANGES) + (isFolded ? foldedSize(text) : 0);
}

/** How many copies of what it repeats become part of the program. */
function copies([, least = '1', comma, most = '']: readonly string[]): number {
  const last = most === '' ? Number(least) + (comma === undefined ? 0 : 1) : Number(most);
  return Math.max(1, Number(least), last);
}

interface Token {
  readonly kind: (typeof TOKENS)[number][0];
  /** With what its parentheses found. */
  readonly found: readonly string[];
}

function* tokensOf(expression: string): Generator<Token> {
  for (let at = 0; at < expression.length;) {
    for (const [kind, token] of TOKENS) {
      token.lastIndex = at;
      const found = token.exec(expression);
      if (found === null) continue;
      at = token.lastIndex;
      yield { kind, found };
      break;
    }
  }
}

function sizeOf({ kind, found: [text = ''] }: Token, isFolded: boolean): number {
  if (kind === 'class' || /^\\[pP]/.test(text)) return classSize(text, isFolded);
  // Of a quoted text, the last character alone is repeated; to count all of them is more.
  return kind === 'text' ? text.length : 1;
}

/**
 * How much work it is to compile a regular expression in Go's syntax: its parts, each as often as repetitions copy it.
 * Takes time in proportion to the text; whatever it is not sure of, it counts rather too much.
 */
export function patternSize(expression: string): number {
  const isFolded = /\(\?[a-zA-Z-]*i/.test(expression);
  /** Sizes of the groups that are open, and of the pattern itself. */
  const open = [0];
  /** Size of what a repetition would repeat. */
  let last = 0;
  for (const token of tokensOf(expression)) {
    const { kind, found } = token;
    if (kind === 'flags') continue;
    if (kind === 'open') {
      open.push(0);
      last = 0;
      continue;
    }
    let added: number;
    if (kind === 'repeat') {
      added = last * (copies(found) - 1) + 1;
      last += added;
    } else {
      added = kind === 'close' && open.length > 1 ? (open.pop() ?? 0) + 1 : sizeOf(token, isFolded);
      last = added;
    }
    open.push((open.pop() ?? 0) + added);
  }
  return open.reduce((sum, size) => sum + size, 0);
}
