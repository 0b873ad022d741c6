/** The text as one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The path as users write it: `a.b[0]["c.d"]`. */
export function pathText(path: readonly string[]): string {
  return path
    .map((key, index) => {
      if (/^[0-9]+$/.test(key)) return `[${key}]`;
      if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join('');
}

/** A JSON pointer as users write the path; that of the whole is empty. */
export function pointerText(pointer: string): string {
  if (pointer === '') return '';
  const keys = pointer.slice(1).split('/');
  return pathText(keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')));
}

/** The first `most` of `words`, and how many are left: `a, b and 3 more`. */
export function listed(words: readonly string[], most: number): string {
  const rest = words.length - most;
  const shown = words.slice(0, most).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** How many there are: `1 release`, `2 releases`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/**
 * A terminal obeys these: sequences of ECMA-48. Each part ends where the next one begins, so that a line of a stranger
 * takes no longer than it is long.
 */
const SEQUENCES = [
  // Control sequences, e.g. colours and moves of the cursor.
  String.raw`(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]`,
  // Strings, e.g. titles and links. One without an end hides nothing.
  String.raw`\u001B[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)`,
  // All others.
  String.raw`\u001B[ -/]*[0-~]`,
].join('|');
const ESCAPES = new RegExp(SEQUENCES, 'g');
const CONTROLS = /[^\P{C}\t]/gu;

/** A line of a program's output as text: without what moves a cursor, paints, or turns the direction of writing. */
export function plainLine(line: string): string {
  return line.replace(ESCAPES, '').replace(CONTROLS, '');
}

/**
 * The text on one line. Names and messages are written by strangers: no control character of theirs reaches a terminal,
 * and none that changes the direction of what follows.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

const MARK = '…';

/** A part alone: what `slice` returns keeps the whole text in memory for as long as the part is there. */
function part(text: string, from: number, to?: number): string {
  return structuredClone(text.slice(from, to));
}

/** The first `most` UTF-16 code units, without half a character at the end. */
function head(text: string, most: number): string {
  const last = text.charCodeAt(most - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return part(text, 0, isHalf ? most - 1 : most);
}

/** The last ones, without half a character at the beginning. */
function tail(text: string, most: number): string {
  const from = text.length - most;
  const first = text.charCodeAt(from);
  const isHalf = first >= 0xdc00 && first <= 0xdfff;
  return part(text, isHalf ? from + 1 : from);
}

/** At most `most` characters, as `length` counts them, and behind them the mark of what is left out. */
export function cut(text: string, most: number, mark = MARK): string {
  return text.length <= most ? text : `${head(text, most)}${mark}`;
}

/** The same within `most` characters, with the mark. */
export function cutWithin(text: string, most: number, mark = MARK): string {
  return text.length <= most ? text : cut(text, most - mark.length, mark);
}

/** Begin and end within `most` characters, with the mark between them. */
export function cutMiddle(text: string, most: number, mark: string): string {
  if (text.length <= most) return text;
  const first = Math.floor((most - mark.length) / 2);
  return `${head(text, first)}${mark}${tail(text, most - mark.length - first)}`;
}

/** Digits of a digest that tell one from another, as container tools print it. */
const DIGITS = 12;
const DIGEST = new RegExp(`(sha\\d+:[0-9a-f]{${DIGITS}})[0-9a-f]+`, 'g');

/** A revision, e.g. `main@sha1:0123…`, with no more of its digests than people read. */
export function shortDigest(revision: string): string {
  return revision.replaceAll(DIGEST, '$1…');
}
