/**
 * UTF-8 as a string with one character per byte: Flux's functions count and cut bytes. What is cut within a character
 * is only an error if it stays in the result.
 */
export type Bytes = string;

const RUNES =
  /[\0-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[^]/g;
/** U+FFFD: what Go reads a byte as that belongs to no character. */
const REPLACEMENT = '\xef\xbf\xbd';

export function bytesOf(text: string): Bytes {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Undefined if it is no UTF-8. */
export function textOf(bytes: Bytes): string | undefined {
  const buffer = Buffer.from(bytes, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer);
  } catch {
    return undefined;
  }
}

/** Its characters, each as its bytes; a byte that belongs to none is one of its own. */
export function runesOf(bytes: Bytes): Bytes[] {
  return bytes.match(RUNES) ?? [];
}

/** The character; U+FFFD for a byte that belongs to none. */
export function characterOf(rune: Bytes): string {
  return isLone(rune) ? '\ufffd' : Buffer.from(rune, 'latin1').toString('utf8');
}

function isLone(rune: Bytes): boolean {
  return rune.length === 1 && rune > '\x7f';
}

export function reversed(bytes: Bytes): Bytes {
  return runesOf(bytes)
    .map((rune) => (isLone(rune) ? REPLACEMENT : rune))
    .reverse()
    .join('');
}
