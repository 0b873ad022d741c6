/**
 * Marks a number inside the JSON text while it passes JSON.parse or JSON.stringify; unguessable, so no user text can
 * hold it. Browsers have this source of randomness without TLS, too.
 */
const MARK = `raw-${crypto.getRandomValues(new Uint32Array(4)).join('-')}:`;
/** Cheap test first: only a run of 16 digits or an exponent of three can be a number that a double changes. */
const SUSPICIOUS = /[0-9](?:[0-9.]){15,}|(?:^|[[:,\s])-?[0-9.]+[eE][+-]?[0-9]{3}/;
const LONG_EXPONENT = /[eE][+-]?[0-9]{3}/;
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const [QUOTE, MINUS, ZERO, NINE, BACKSLASH] = [0x22, 0x2d, 0x30, 0x39, 0x5c];
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g');

/** A number whose text a double would change; prints as the very text that was read. */
export class RawNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return MARK + this.text;
  }
}

function isLossy(token: string): boolean {
  return (token.length > 15 || LONG_EXPONENT.test(token)) && String(Number(token)) !== token;
}

function revive(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(MARK) ? new RawNumber(value.slice(MARK.length)) : value;
}

/** The text with a string in place of each number that a double changes. No regular expression reads long strings. */
function withMarks(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = stringEnd(text, index + 1);
    if (code !== MINUS && !(code >= ZERO && code <= NINE)) continue;
    NUMBER.lastIndex = index;
    const token = NUMBER.exec(text)?.[0] ?? '-';
    if (isLossy(token)) {
      parts.push(text.slice(done, index), `"${MARK}${token}"`);
      done = index + token.length;
    }
    index += token.length - 1;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(done);
}

/** JSON.parse in which a number that a double cannot hold becomes a RawNumber. Throws a SyntaxError on bad JSON. */
export function parseJson(text: string): unknown {
  if (!SUSPICIOUS.test(text)) return JSON.parse(text);
  return JSON.parse(withMarks(text), revive);
}

/** JSON.stringify that writes each RawNumber as it was read; `indent`: blanks of each level, on lines of their own. */
export function printJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return text.includes(MARK) ? text.replace(MARKED, '$1') : text;
}

/** Characters that Go's YAML reader takes for line breaks, or refuses, where JSON has them as they are. */
const UNLIKE_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
/** JSON.stringify writes half of a surrogate pair as an escape, which YAML does not know; Go's JSON reads U+FFFD. */
const HALF = String.raw`\ud`;
/** Each escape, so that none is looked for within another one, and which of them are such a half. */
const ESCAPE = /\\(?:(ud[89a-f][0-9a-f]{2})|[^])/g;
/** A key of more than 1,024 characters is none to Go's YAML reader unless it is marked as one. */
const LONG_KEY = 1_000;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function withoutHalf(escape: string, half: string | undefined): string {
  return half === undefined ? escape : String.raw`\ufffd`;
}

/** The index of the quote that ends the string from `start`, or the end of the text: most characters are in strings. */
export function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH && end - 1 - escapes >= start) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** In linear time, which no regular expression promises of a text that is mostly quotes. */
function withMarkedKeys(text: string): string {
  if (text.length < LONG_KEY) return text;
  const parts: string[] = [];
  let done = 0;
  for (let start = text.indexOf('"'); start !== -1;) {
    const end = stringEnd(text, start + 1);
    if (end - start > LONG_KEY && text[end + 1] === ':') {
      parts.push(text.slice(done, start), '? ');
      done = start;
    }
    start = text.indexOf('"', end + 1);
  }
  return parts.length === 0 ? text : [...parts, text.slice(done)].join('');
}

/**
 * `printJson` for a reader of YAML: the text means the same to both. The API server reads what is applied, and helm
 * reads values files, with Go's YAML reader, whatever they are called.
 */
export function printJsonForYaml(value: unknown): string {
  const printed = printJson(value).replace(UNLIKE_YAML, escaped);
  const text = printed.includes(HALF) ? printed.replace(ESCAPE, withoutHalf) : printed;
  return withMarkedKeys(text);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object' || value instanceof RawNumber) return value;
  const fields = value as Readonly<Record<string, unknown>>; // not a list, as above
  const keys = Object.keys(fields).filter((key) => fields[key] !== undefined);
  return Object.fromEntries(keys.sort().map((key) => [key, sorted(fields[key])]));
}

/**
 * JSON whose keys are sorted at every level: equal values give equal text. Absent and undefined fields are the same.
 */
export function canonicalJson(value: unknown): string {
  return printJson(sorted(value));
}

/** As Go's encoder writes text. */
export function goText(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[<>&\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
