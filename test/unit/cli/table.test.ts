import { describe, expect, test } from '@jest/globals';
import { printTable } from '#cli/table.js';

interface Row {
  name: string;
  state: string;
}
const COLUMNS = [
  { title: 'NAME', value: (row: Row) => row.name },
  { title: 'STATE', value: (row: Row) => row.state },
];

describe('printTable', () => {
  test('makes columns as wide as their widest cell and leaves no trailing blanks', () => {
    const rows = [
      { name: 'a-long-name', state: 'Ready' },
      { name: 'b', state: 'Stalled' },
    ];
    expect(printTable(COLUMNS, rows)).toBe('NAME          STATE\na-long-name   Ready\nb             Stalled');
  });

  test('prints an empty cell as a dash', () => {
    expect(printTable(COLUMNS, [{ name: '', state: ' ' }])).toBe('NAME   STATE\n-      -');
  });

  test('keeps a cell on one line', () => {
    expect(printTable(COLUMNS, [{ name: 'a', state: 'one\n\ttwo' }])).toBe('NAME   STATE\na      one two');
  });

  test('prints the titles alone without rows', () => {
    expect(printTable(COLUMNS, [])).toBe('NAME   STATE');
  });
});
