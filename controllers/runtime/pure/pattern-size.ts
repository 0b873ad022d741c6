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

/** A class is copied wherever it is repeated. */
function classSize(text: string, isFolded: boolean): number {
  const unicode = text.match(/\\[pP]/g)?.length ?? 0;
  const ranges = (text.length + unicode * UNICODE) * (isFolded ? 2 : 1);
  return 1 + Math.floor(ranges / RANGES);
}

/** How many copies of what it repeats become part of the program. */
function copies([, least = '1', comma, most = '']: readonly string[]): number {
  const last = most === '' ? Number(least) + (comma === undefined ? 0 : 1) : Number(most);
  return Math.max(1, Number(least), last);
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
  const add = (size: number): void => {
    open.push((open.pop() ?? 0) + size);
  };
  for (let at = 0; at < expression.length;) {
    for (const [kind, token] of TOKENS) {
      token.lastIndex = at;
      const found = token.exec(expression);
      if (found === null) continue;
      at = token.lastIndex;
      const [text] = found;
      if (kind === 'flags') break;
      if (kind === 'repeat') {
        const more = last * (copies(found) - 1) + 1;
        last += more;
        add(more);
      } else if (kind === 'open') {
        open.push(0);
        last = 0;
      } else {
        last = kind === 'close' && open.length > 1 ? (open.pop() ?? 0) + 1 : 1;
        if (kind === 'class' || /^\\[pP]/.test(text)) last = classSize(text, isFolded);
        // The last character alone is repeated; to count all of them is more.
        if (kind === 'text') last = text.length;
        add(last);
      }
      break;
    }
  }
  return open.reduce((sum, size) => sum + size, 0);
}
