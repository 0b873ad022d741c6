/** Number of ranges that a Unicode class counts as. */
const UNICODE = 400;
/** Number of ranges that cost as much as one part. */
const RANGES = 50;

/** The tokens of a pattern; their order matters. A `{` that repeats nothing is a character. */
const TOKENS: readonly (readonly [
  kind: 'nothing' | 'text' | 'class' | 'repeat' | 'open' | 'close' | 'one',
  token: RegExp,
])[] = [
  // Not a part: a repetition after flags or an empty quotation repeats the part before them.
  ['nothing', /\(\?[a-zA-Z-]+\)|\\Q\\E/y],
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
/** Number of characters of a range that cost as much as one part, if case is ignored. */
const FOLDED = 500;

function codeOf(end: string): number {
  const hex = /^\\x\{?([0-9a-fA-F]+)/.exec(end)?.[1];
  return (hex === undefined ? end.replace(/^\\(?=.)/su, '').codePointAt(0) : parseInt(hex, 16)) ?? 0;
}

/** If case is ignored, each character of each range is looked up. */
function foldedSize(text: string): number {
  const widths = [...text.matchAll(RANGE)].map(([, from = '', to = '']) => Math.max(0, codeOf(to) - codeOf(from)));
  return Math.ceil(widths.reduce((sum, width) => sum + width, 0) / FOLDED);
}

/** The cost of one copy of a class; each repetition copies it. */
function classSize(text: string, isFolded: boolean): number {
  const unicode = text.match(/\\[pP]/g)?.length ?? 0;
  const ranges = (text.length + unicode * UNICODE) * (isFolded ? 2 : 1);
  return 1 + Math.floor(ranges / RANGES) + (isFolded ? foldedSize(text) : 0);
}

/** How many copies of a repeated part the compiled program contains. */
function copies([, least = '1', comma, most = '']: readonly string[]): number {
  const last = most === '' ? Number(least) + (comma === undefined ? 0 : 1) : Number(most);
  return Math.max(1, Number(least), last);
}

interface Token {
  readonly kind: (typeof TOKENS)[number][0];
  /** The match of the token's expression, with its groups. */
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
  // A repetition after a quoted text repeats only its last character. Counting all of them gives an upper bound.
  return kind === 'text' ? text.length : 1;
}

/**
 * The cost of compiling a regular expression in Go's syntax: the number of its parts, with all copies that repetitions
 * make. Takes linear time. When in doubt, it counts too much.
 */
export function patternSize(expression: string): number {
  const isFolded = /\(\?[a-zA-Z-]*i/.test(expression);
  /** Sizes of the open groups, and first of the pattern itself. */
  const open = [0];
  /** Size of the part that a repetition would repeat. */
  let last = 0;
  for (const token of tokensOf(expression)) {
    const { kind, found } = token;
    if (kind === 'nothing') continue;
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
      // An empty group costs as much as a group of one part.
      added = kind === 'close' && open.length > 1 ? Math.max(1, open.pop() ?? 0) + 1 : sizeOf(token, isFolded);
      last = added;
    }
    open.push((open.pop() ?? 0) + added);
  }
  return open.reduce((sum, size) => sum + size, 0);
}
