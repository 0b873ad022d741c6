import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { drawnItems, isSameDrawn, mostDrawn } from '#console/web/overview/model/grid.js';

describe('the rows that are drawn', () => {
  test.each([
    ['all of a few', { at: 0, room: 400, items: 3 }, { first: 0, end: 3 }],
    ['none of none', { at: 0, room: 400, items: 0 }, { first: 0, end: 0 }],
    ['the first', { at: 0, room: 400, items: 1_000 }, { first: 0, end: 14 }],
    ['some in the middle', { at: 20_000, room: 400, items: 1_000 }, { first: 496, end: 514 }],
    ['the last, beyond the end', { at: 99_999, room: 400, items: 1_000 }, { first: 984, end: 1_000 }],
    ['the first, pulled beyond the start', { at: -300, room: 400, items: 1_000 }, { first: 0, end: 8 }],
    ['the first, behind something else', { at: -500, room: 400, items: 1_000 }, { first: 0, end: 4 }],
  ])('are %s', (_, axis, expected) => {
    expect(drawnItems({ ...axis, size: 40 }, 'rows')).toEqual(expected);
  });

  test('change by some at a time, and not with each pixel', () => {
    const at = (top: number) => drawnItems({ at: top, room: 400, size: 40, items: 1_000 }, 'rows');
    const others = Array.from({ length: 1_600 }, (_, index) => 20_000 + index).filter(
      (top) => !isSameDrawn(at(top - 1), at(top)),
    );
    expect(others.length).toBeLessThanOrEqual(40);
    expect(isSameDrawn(at(20_001), at(20_039))).toBe(true);
    expect(isSameDrawn(at(20_000), at(21_000))).toBe(false);
  });
});

describe('what is drawn', () => {
  const axis = fc.record({
    at: fc.integer({ min: -2_000, max: 500_000 }),
    room: fc.nat(4_000),
    size: fc.integer({ min: 20, max: 200 }),
    items: fc.nat(10_000),
  });

  test.each(['rows', 'columns'] as const)('fills what can be seen, and is little: %s', (kind) => {
    fc.assert(
      fc.property(axis, (asked) => {
        const { at, room, size, items } = asked;
        const { first, end } = drawnItems(asked, kind);
        expect(end - first).toBeLessThanOrEqual(mostDrawn(asked, kind));
        const start = Math.min(at, items * size - room);
        expect(first * size).toBeLessThanOrEqual(Math.max(0, start));
        expect(end * size).toBeGreaterThanOrEqual(Math.min(items * size, start + room));
        expect([first, end]).toEqual([Math.max(0, first), Math.min(items, end)]);
      }),
    );
  });
});
