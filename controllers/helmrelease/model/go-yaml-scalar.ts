/** How go-yaml v2 writes one scalar: the part of its style that decides whether two programs agree on a digest. */

const NULLS = ['', '~', 'null', 'Null', 'NULL'];
const BOOLEANS = ['y', 'yes', 'on', 'true', 'n', 'no', 'off', 'false'].flatMap((word) => [
  word,
  word.toUpperCase(),
  word.charAt(0).toUpperCase() + word.slice(1),
]);
const SPECIAL_FLOATS = [
  '.nan',
  '.NaN',
  '.NAN',
  ...['', '+', '-'].flatMap((sign) => ['.inf', '.Inf', '.INF'].map((inf) => sign + inf)),
];
const RESOLVED_WORDS: ReadonlySet<string> = new Set([...NULLS, ...BOOLEANS, ...SPECIAL_FLOATS]);

const INTEGER = /^[-+]?(0|[1-9][0-9]*|0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|0[bB][01]+)$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const TIMESTAMP = /^\d{4}-\d{1,2}-\d{1,2}([Tt ]\d{1,2}:\d{1,2}:\d{1,2}(\.\d+)?( ?(Z|[-+]\d{2}:\d{2}))?)?$/;

/** Characters that go-yaml writes as they are; everything beyond the basic plane is escaped. */
const UNPRINTABLE = /[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]|[\ud800-\udfff]/u;
/** What go-yaml takes for the end of a line. */
export const LINE_BREAK = /[\r\n\u0085\u2028\u2029]/;
const BEST_WIDTH = 80;

/** Where a scalar is written: spaces before a continued line, and the column it starts in. */
export interface ScalarPlace {
  readonly indent: number;
  readonly column: number;
  /** A mapping key stays on one line. */
  readonly key: boolean;
}

/** True when go-yaml would read the bare text back as something other than a string. */
function resolvesToNonString(text: string): boolean {
  if (RESOLVED_WORDS.has(text) || BASE_60.test(text) || TIMESTAMP.test(text)) return true;
  if (!/^[-+.0-9]/.test(text)) return false;
  const plain = text.replaceAll('_', '');
  return INTEGER.test(plain) || FLOAT.test(plain);
}

function hasBlockIndicators(text: string): boolean {
  return (
    /^(---|\.\.\.)/.test(text) ||
    /^[#,[\]{}&*!|>'"%@`]/.test(text) ||
    /^[?:-](\s|$)/.test(text) ||
    /:(\s|$)/.test(text) ||
    /\s#/.test(text)
  );
}

function isSpecial(text: string): boolean {
  return UNPRINTABLE.test(text) || / [\r\n\u0085\u2028\u2029]/.test(text);
}

/** A single space, in quotes only between other characters. */
function isFoldable(characters: readonly string[], index: number, isQuoted: boolean): boolean {
  if (characters[index] !== ' ' || characters[index - 1] === ' ' || characters[index + 1] === ' ') return false;
  return !isQuoted || (index > 0 && index < characters.length - 1);
}

/** A character as it is written behind `previous`: a line that is no longer the first is indented. */
function writtenBehind(previous: string, character: string, place: ScalarPlace): string {
  const isFirst = LINE_BREAK.test(previous) && !LINE_BREAK.test(character);
  return isFirst ? ' '.repeat(place.indent) + character : character;
}

/** Writes plain or single-quoted text; breaks it at single spaces once the column has passed the width. */
function fold(text: string, place: ScalarPlace, isQuoted: boolean): string {
  const characters = Array.from(text);
  let column = place.column + (isQuoted ? 1 : 0);
  let out = '';
  for (const [index, character] of characters.entries()) {
    if (!place.key && column > BEST_WIDTH && isFoldable(characters, index, isQuoted)) {
      out += `\n${' '.repeat(place.indent)}`;
      column = place.indent;
    } else {
      const plain = writtenBehind(characters[index - 1] ?? '', character, place);
      const written = isQuoted ? plain.replace("'", "''") : plain;
      out += written;
      column = LINE_BREAK.test(character) ? 0 : column + written.length;
    }
  }
  return out;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\u001b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u00a0': '\\_',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

function escapeCharacter(character: string): string {
  const short = ESCAPES[character];
  if (short !== undefined && (character !== '\u00a0' || UNPRINTABLE.test(character))) return short;
  if (!UNPRINTABLE.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

function escapeAlways(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 && ESCAPES[character] === undefined
    ? `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`
    : escapeCharacter(character);
}

/** A double-quoted scalar is folded like the others, but an escaped space protects the next one. */
function doubleQuoted(text: string, place: ScalarPlace): string {
  // go-yaml looks for a byte order mark at the start of the text, whichever character it is about to write.
  if (text.startsWith('\ufeff')) return `"${Array.from(text).map(escapeAlways).join('')}"`;
  const characters = Array.from(text);
  let column = place.column + 1;
  let out = '"';
  let afterSpace = false;
  for (const [index, character] of characters.entries()) {
    const inside = index > 0 && index < characters.length - 1;
    if (character === ' ' && !place.key && column > BEST_WIDTH && !afterSpace && inside) {
      const guard = characters[index + 1] === ' ' ? '\\' : '';
      out += `\n${' '.repeat(place.indent)}${guard}`;
      column = place.indent + guard.length;
    } else {
      const written = escapeCharacter(character);
      out += written;
      column += Array.from(written).length;
    }
    afterSpace = character === ' ';
  }
  return `${out}"`;
}

function literal(text: string, place: ScalarPlace): string {
  const hint = /^[ \r\n\u0085\u2028\u2029]/.test(text) ? '2' : '';
  const chomp = text.endsWith('\n') ? (text === '\n' || text.endsWith('\n\n') ? '+' : '') : '-';
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const indent = ' '.repeat(place.indent);
  return `|${hint}${chomp}\n${body.replace(/(?<=^|[\n\u2028\u2029])(?=[^\n\u2028\u2029])/g, indent)}`;
}

/** Why a string without line breaks cannot be written as it is; undefined when it can. */
function quotesFor(text: string): 'single' | 'double' | undefined {
  if (isSpecial(text) || /[\u2028\u2029] /.test(text) || resolvesToNonString(text)) return 'double';
  return /^ | $/.test(text) || LINE_BREAK.test(text) || hasBlockIndicators(text) ? 'single' : undefined;
}

/** One string as go-yaml v2 would write it at `place`. Never throws. */
export function printGoString(text: string, place: ScalarPlace): string {
  if (text.includes('\n')) {
    const block = !place.key && !isSpecial(text) && !text.endsWith(' ');
    return block ? literal(text, place) : doubleQuoted(text, place);
  }
  const quotes = quotesFor(text);
  if (quotes === 'double') return doubleQuoted(text, place);
  return quotes === 'single' ? `'${fold(text, place, true)}'` : fold(text, place, false);
}

/**
 * A finite number as Flux hands it to go-yaml: as an integer when it is one of 64 bits, otherwise as `%g` at shortest
 * precision prints it, with exponents from 1e+06 up and below 1e-04.
 */
export function printGoNumber(value: number): string {
  if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64) return BigInt(value).toString();
  const [mantissa = '0', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(value);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}
