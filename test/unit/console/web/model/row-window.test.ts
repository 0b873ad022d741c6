import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSameWindow, rowWindow } from '#console/web/model/row-window.js';

describe('the rows that are drawn', () => {
  test.each([
    ['all of a few', { top: 0, height: 400, rows: 3 }, { first: 0, end: 3, before: 0, after: 0 }],
    ['none of none', { top: 0, height: 400, rows: 0 }, { first: 0, end: 0, before: 0, after: 0 }],
    ['the first', { top: 0, height: 400, rows: 1_000 }, { first: 0, end: 20, before: 0, after: 39_200 }],
    [
      'some in the middle',
      { top: 20_000, height: 400, rows: 1_000 },
      { first: 492, end: 520, before: 19_680, after: 19_200 },
    ],
    [
      'the last, beyond the end',
      { top: 99_999, height: 400, rows: 1_000 },
      { first: 980, end: 1_000, before: 39_200, after: 0 },
    ],
    [
      'the first, pulled beyond the start',
      { top: -300, height: 400, rows: 1_000 },
      { first: 0, end: 20, before: 0, after: 39_200 },
    ],
  ])('are %s', (_, viewport, expected) => {
    expect(rowWindow({ ...viewport, rowHeight: 40 })).toEqual(expected);
  });

  test('fill what can be seen, are few, and keep the height', () => {
    const viewport = fc.record({
      top: fc.integer({ min: -500, max: 500_000 }),
      height: fc.nat(2_000),
      rows: fc.nat(10_000),
    });
    fc.assert(
      fc.property(viewport, ({ top, height, rows }) => {
        const { first, end, before, after } = rowWindow({ top, height, rows, rowHeight: 44 });
        expect(before + (end - first) * 44 + after).toBe(rows * 44);
        expect(end - first).toBeLessThanOrEqual(Math.ceil(height / 44) + 23);
        const seen = Math.min(Math.max(0, top), Math.max(0, rows * 44 - height));
        expect(before).toBeLessThanOrEqual(seen);
        expect(end * 44).toBeGreaterThanOrEqual(Math.min(rows * 44, seen + height));
      }),
    );
  });

  test('change by some at a time, and not with each pixel', () => {
    const at = (top: number) => rowWindow({ top, height: 400, rowHeight: 40, rows: 1_000 });
    const others = Array.from({ length: 1_600 }, (_, index) => 20_000 + index).filter(
      (top) => !isSameWindow(at(top - 1), at(top)),
    );
    expect(others.length).toBeLessThanOrEqual(20);
    expect(isSameWindow(at(20_000), at(20_001))).toBe(true);
    expect(isSameWindow(at(20_000), at(21_000))).toBe(false);
  });
});
