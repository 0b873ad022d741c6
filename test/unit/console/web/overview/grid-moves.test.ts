import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { movedBy, scrolledTo } from '#console/web/overview/model/grid.js';

const SIZE = { rows: 100, columns: 10, page: 12 };
const plain = (key: string) => ({ key, ctrlKey: false });
const control = (key: string) => ({ key, ctrlKey: true });

describe('a key in a grid', () => {
  test.each([
    ['down', plain('ArrowDown'), [5, 3], [6, 3]],
    ['up', plain('ArrowUp'), [5, 3], [4, 3]],
    ['left', plain('ArrowLeft'), [5, 3], [5, 2]],
    ['right', plain('ArrowRight'), [5, 3], [5, 4]],
    ['up to the heads', plain('ArrowUp'), [0, 3], [-1, 3]],
    ['not above the heads', plain('ArrowUp'), [-1, 3], [-1, 3]],
    ['not below the last row', plain('ArrowDown'), [99, 3], [99, 3]],
    ['not beyond the columns', plain('ArrowRight'), [5, 9], [5, 9]],
    ['by a page', plain('PageDown'), [5, 3], [17, 3]],
    ['by a page, up to the heads', plain('PageUp'), [5, 3], [-1, 3]],
    ['to the first column', plain('Home'), [5, 3], [5, 0]],
    ['to the last column', plain('End'), [5, 3], [5, 9]],
    ['to the first cell', control('Home'), [5, 3], [0, 0]],
    ['to the last cell', control('End'), [5, 3], [99, 9]],
  ] as const)('leads %s', (_, key, [row, column], [toRow, toColumn]) => {
    expect(movedBy(key, { row, column }, SIZE)).toEqual({ row: toRow, column: toColumn });
  });

  test.each(['Enter', ' ', 'Tab', 'a', 'Escape', 'F5'])('is left alone: %j', (key) => {
    expect(movedBy(plain(key), { row: 5, column: 3 }, SIZE)).toBe(undefined);
  });

  test('stays in a grid that has lost rows, and moves although no row fits', () => {
    expect(movedBy(plain('ArrowDown'), { row: 500, column: 50 }, SIZE)).toEqual({ row: 99, column: 9 });
    expect(movedBy(plain('PageDown'), { row: 5, column: 3 }, { ...SIZE, page: 0 })).toEqual({ row: 6, column: 3 });
  });
});

describe('scrolling to a cell', () => {
  test.each([
    ['is not needed', { start: 200, size: 44, covered: 44 }, 100, 100],
    ['goes up below what covers it', { start: 200, size: 44, covered: 44 }, 180, 156],
    ['goes down to its end', { start: 600, size: 44, covered: 44 }, 100, 244],
    ['shows the start of what is too long', { start: 600, size: 900, covered: 44 }, 100, 556],
  ])('%s', (_, stretch, at, to) => {
    expect(scrolledTo(stretch, at, 400)).toBe(to);
  });

  test('shows all of what fits, and does not scroll twice', () => {
    const stretch = fc.record({ start: fc.nat(9_000), size: fc.integer({ min: 1, max: 200 }), covered: fc.nat(100) });
    fc.assert(
      fc.property(stretch, fc.nat(9_000), (cell, at) => {
        const to = scrolledTo(cell, at, 400);
        expect(to).toBeLessThanOrEqual(Math.max(0, cell.start - cell.covered) || 0);
        expect(to + 400).toBeGreaterThanOrEqual(cell.start + cell.size);
        expect(scrolledTo(cell, to, 400)).toBe(to);
      }),
    );
  });
});
