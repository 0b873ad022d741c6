import { describe, expect, test } from '@jest/globals';
import { literalsIn, sourceFiles, textOf } from './repository.js';

const PAGE = 'docs/troubleshooting.md';
/** Messages of the API server and of helm. */
const OF_OTHERS = [/^namespaces "NAME" not found$/, /^values don't meet the specifications of the schema/];
/** Values in a quoted message: `...`, NAMES, quoted text, numbers, entries, addresses, the field that it begins with. */
const VALUE =
  /\.\.\.|\b(?:NAMESPACE|NAME|SECRET|KEY)\b|"[^"]*"|'[^']*'|\w+\[\d+\]|\b\d+\b|https?:\S+|^[\w.]+:|^\w+(?=\.)/;
/** Shorter pieces are in any text. */
const LEAST = 8;

/** Messages in the first column of a table, or at the start of a line, in backticks. */
function quotedIn(page: string): string[] {
  return [...page.matchAll(/^(?:\| |- )?`([^`]+)`(?= +\||:)/gm)].map(([, quoted = '']) => quoted);
}

describe('a page that quotes messages', () => {
  const messages = quotedIn(textOf(PAGE)).filter((message) => !OF_OTHERS.some((other) => other.test(message)));
  const texts = sourceFiles().flatMap((file) => literalsIn(textOf(file)));

  test('is read as one', () => expect(messages.length).toBeGreaterThan(15));

  test.each(messages)('%s is what the code says', (message) => {
    const words = message.split(VALUE).map((piece) => piece.replaceAll(/^\W+|\W+$/g, ''));
    const pieces = words.filter(({ length }) => length >= LEAST);
    expect(pieces.length).toBeGreaterThan(0);
    expect(pieces.filter((piece) => !texts.some((text) => text.includes(piece)))).toEqual([]);
  });
});
