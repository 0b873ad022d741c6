/** A text as it reads once something in it is decoded, and what each of its characters stands for in the first text. */
export interface View {
  readonly text: string;
  /** Where the character begins there; absent in the first text itself. */
  readonly starts?: Uint32Array;
  /** Where it ends. */
  readonly ends?: Uint32Array;
}

/** A decoded text whose characters stand for ranges of the text that it is made of, which is not shorter. */
class Decoding {
  readonly #view: View;
  readonly #text: string[] = [];
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  #length = 0;

  constructor(view: View) {
    this.#view = view;
    this.#starts = new Uint32Array(view.text.length);
    this.#ends = new Uint32Array(view.text.length);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  #stands(from: number, to: number): void {
    const { starts, ends } = this.#view;
    this.#starts[this.#length] = starts?.[from] ?? from;
    this.#ends[this.#length] = ends?.[to - 1] ?? to;
    this.#length += 1;
  }

  /** Text that stands for one range as a whole. */
  add(decoded: string, from: number, to: number): void {
    this.#text.push(decoded);
    for (let at = 0; at < decoded.length; at += 1) this.#stands(from, to);
  }

  /** Text that stays as it is. */
  copy(from: number, to: number): void {
    this.#text.push(this.#view.text.slice(from, to));
    for (let at = from; at < to; at += 1) this.#stands(at, at + 1);
  }

  /** Bytes that these characters of base64 stand for, as characters of one byte each; `after`: with what fills it up. */
  addBase64(from: number, to: number, after: number): void {
    const bytes = Buffer.from(this.#view.text.slice(from, to), 'base64');
    this.#text.push(bytes.toString('latin1'));
    for (let at = 0; at < bytes.length; at += 1) {
      const end = at === bytes.length - 1 ? after : from + Math.floor((8 * at + 7) / 6) + 1;
      this.#stands(from + Math.floor((8 * at) / 6), end);
    }
  }

  result(): View {
    const [starts, ends] = [this.#starts.subarray(0, this.#length), this.#ends.subarray(0, this.#length)];
    return { text: this.#text.join(''), starts, ends };
  }
}

/** The text with each match replaced; undefined without one. */
function replaced(view: View, pattern: RegExp, decode: (match: RegExpMatchArray) => string): View | undefined {
  const decoding = new Decoding(view);
  let from = 0;
  for (const match of view.text.matchAll(pattern)) {
    decoding.copy(from, match.index);
    from = match.index + match[0].length;
    decoding.add(decode(match), match.index, from);
  }
  if (from === 0) return undefined;
  decoding.copy(from, view.text.length);
  return decoding.result();
}

const LETTERS: Readonly<Record<string, string>> = {
  ...{ a: '\u0007', b: '\b', e: '\u001B', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '0': '\0' },
};

const ESCAPE = /\\(?:u([\da-f]{4})|U([\da-f]{8})|x([\da-f]{2})|([abefnrtv0"'\\/` ]))/gi;

function character(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code > 0x10_ff_ff ? '' : String.fromCodePoint(code);
}

/** Go's `%q`, JSON and strings of YAML. */
function unescaped(view: View): View | undefined {
  return replaced(view, ESCAPE, ([, short, long, byte, letter = '']) => {
    const hex = short ?? long ?? byte;
    return hex === undefined ? (LETTERS[letter] ?? letter) : character(hex);
  });
}

/** Bytes, as characters of one byte each. */
function percentDecoded(view: View): View | undefined {
  return replaced(view, /%([\da-f]{2})/gi, ([, hex = '']) => character(hex));
}

function queryDecoded(view: View): View | undefined {
  return replaced(view, /\+|%([\da-f]{2})/gi, ([, hex]) => (hex === undefined ? ' ' : character(hex)));
}

function yamlUnquoted(view: View): View | undefined {
  return replaced(view, /''/g, () => "'");
}

function pointerDecoded(view: View): View | undefined {
  return replaced(view, /~([01])/g, ([, digit]) => (digit === '1' ? '/' : '~'));
}

/** Four characters of a value make so many of base64. */
const BASE64 = /[\w+/-]{6,}/g;

/** All that base64 may stand for if it begins so many characters later: a path may stand before it. */
function base64Decoded(view: View, offset: number): View | undefined {
  const { text } = view;
  const decoding = new Decoding(view);
  for (const { 0: run, index } of text.matchAll(BASE64)) {
    const end = index + run.length;
    let after = end;
    while (after < end + 2 && text.charAt(after) === '=') after += 1;
    decoding.addBase64(index + offset, end, after);
    decoding.add('\n', end, end);
  }
  return decoding.isEmpty ? undefined : decoding.result();
}

const DECODERS: readonly ((view: View) => View | undefined)[] = [
  ...[unescaped, percentDecoded, queryDecoded, yamlUnquoted, pointerDecoded],
  ...[0, 1, 2, 3].map((offset) => (view: View) => base64Decoded(view, offset)),
];

/** Quoted texts are quoted again: JSON in a message of Go, a password in the credential of a registry in a Secret. */
const DEPTH = 2;

/** The text, and all that it may stand for. The caller stops asking when that is too much. Never throws. */
export function* viewsOf(view: View, depth = DEPTH): Generator<View> {
  yield view;
  if (depth === 0) return;
  for (const decode of DECODERS) {
    const decoded = decode(view);
    if (decoded !== undefined) yield* viewsOf(decoded, depth - 1);
  }
}
