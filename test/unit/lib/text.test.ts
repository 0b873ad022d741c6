import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cut, cutMiddle, cutWithin } from '#lib/text/text.js';
import { heldBytes } from '../../support/heap.js';

const FACE = '\u{1F600}';

/** Short, with many characters that are pairs. */
const texts = fc
  .array(fc.constantFrom('a', FACE, 'é', '\u{10FFFF}'), { maxLength: 30 })
  .map((characters) => characters.join(''));
const limits = fc.integer({ min: 2, max: 40 });

describe('a text that is too long', () => {
  test.each([
    [cut, 'abc', 3, 'abc'],
    [cut, 'abcd', 3, 'abc…'],
    [cut, `ab${FACE}c`, 3, 'ab…'],
    [cut, `ab${FACE}c`, 4, `ab${FACE}…`],
    [cutWithin, 'abcd', 4, 'abcd'],
    [cutWithin, 'abcde', 4, 'abc…'],
    [cutWithin, `ab${FACE}de`, 4, 'ab…'],
  ])('%p of %j to %d characters', (shorten, text, most, expected) => {
    expect(shorten(text, most)).toBe(expected);
  });

  test('keeps its ends without half characters', () => {
    expect(cutMiddle('abcdefghi', 5, '..')).toBe('a..hi');
    expect(cutMiddle(`${FACE}abcdef${FACE}`, 5, '..')).toBe(`..${FACE}`);
    expect(cutMiddle(`abcdefg${FACE}`, 4, '..')).toBe('a..');
  });

  test('has no half characters, and fits', () => {
    fc.assert(
      fc.property(texts, limits, (text, most) => {
        const all = [cut(text, most), cutWithin(text, most), cutMiddle(text, most, '-')];
        for (const short of all) expect(short).not.toMatch(/\p{Surrogate}/u);
        const [first = '', ...within] = all;
        expect(Math.max(first.length - 1, ...within.map(({ length }) => length))).toBeLessThanOrEqual(most);
        if (text.length <= most) expect(all).toEqual([text, text, text]);
        else for (const short of all.slice(0, 2)) expect(text.startsWith(short.slice(0, -1))).toBe(true);
      }),
    );
  });

  test('does not stay in memory as long as what is shown of it', () => {
    const read = (index: number): string => JSON.parse(JSON.stringify(`${index}${'a'.repeat(1_000_000)}`)) as string;
    const before = heldBytes();
    const kept = Array.from({ length: 100 }, (_, index) => [cut(read(index), 100), cutMiddle(read(index), 100, '..')]);
    expect(heldBytes() - before).toBeLessThan(20_000_000);
    expect(kept).toHaveLength(100);
  });
});
