import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  appended,
  EMPTY_LOG,
  lineCount,
  textOfLog,
  unfinished,
  type LogText,
} from '#console/web/application/model/log.js';

function logOf(...chunks: readonly string[]): LogText {
  return chunks.reduce(appended, EMPTY_LOG);
}

describe('the text of a log', () => {
  it.each([
    ['lines that are cut anywhere', ['on', 'e\ntw', 'o\n'], 'one\ntwo\n'],
    ['a line without an end', ['a\nb'], 'a\nb\n'],
    ['empty lines', ['\n\na\n'], '\n\na\n'],
    ['lines of Windows', ['a\r', '\nb\r\n'], 'a\nb\n'],
    ['what is written over itself', ['10%\r20%\r30%\n'], '10%\n20%\n30%\n'],
    ['no escape sequence', ['\u001b[31mred\u001b[0m\u001b]0;t', 'itle\u0007\n'], 'red\n'],
    ['markup as it is', ['<b>&amp;</b>\n'], '<b>&amp;</b>\n'],
  ])('has %s', (_, chunks, expected) => {
    expect(textOfLog(logOf(...chunks))).toBe(expected);
  });

  it('shows what has no end yet', () => {
    expect(unfinished(logOf('a\nstarting '))).toEqual(['starting ']);
    expect(unfinished(logOf('a\n'))).toEqual([]);
  });

  it('does not depend on how it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', '\n', ' ', '<'), maxLength: 40 })), (chunks) => {
        expect(textOfLog(logOf(...chunks))).toBe(textOfLog(logOf(chunks.join(''))));
      }),
    );
  });

  it('holds the last lines only, and counts the others', () => {
    const log = logOf(...Array.from({ length: 300 }, (_, chunk) => `line ${chunk}\n`.repeat(100)));
    expect(lineCount(log)).toBeLessThanOrEqual(10_000);
    expect(lineCount(log)).toBeGreaterThan(9_700);
    expect(lineCount(log) + log.dropped).toBe(30_000);
    expect(textOfLog(log)).toMatch(/line 299\n$/);
  });

  it('holds few long lines, in pieces, and no line that never ends', () => {
    const log = logOf(...Array.from({ length: 200 }, () => 'x'.repeat(100_000)));
    expect(textOfLog(log).length).toBeLessThan(6_100_000);
    expect(log.rest).toBe('');
    expect(Math.max(...log.blocks.flatMap(({ lines }) => lines.map(({ length }) => length)))).toBe(10_000);
  });

  it('keeps full blocks as they are, so that they are not drawn again', () => {
    const before = logOf('a\n'.repeat(450));
    const after = appended(before, 'b\n');
    expect(after.blocks.slice(0, 2)).toEqual(before.blocks.slice(0, 2));
    expect(after.blocks[0]).toBe(before.blocks[0]);
    expect(after.blocks[1]).toBe(before.blocks[1]);
    expect(after.blocks.map(({ index }) => index)).toEqual([0, 1, 2]);
  });
});
