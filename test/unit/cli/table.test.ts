import { describe, expect, test } from '@jest/globals';
import { printTable, type Table } from '#cli/output/model/table.js';

interface Row {
  name: string;
  place: string;
  text: string;
}

function table(...rows: Row[]): Table<Row> {
  return {
    columns: [
      { title: 'NAME', value: ({ name }) => name },
      { title: 'PLACE', value: ({ place }) => place, spare: 1 },
    ],
    text: { title: 'TEXT', value: ({ text }) => text },
    rows,
  };
}

const LONG = 'one two three four five six seven eight nine ten eleven twelve';

describe('printTable', () => {
  test('makes columns as wide as their widest cell and leaves no trailing blanks', () => {
    const rows = table({ name: 'a-long-name', place: 'x', text: '' }, { name: 'b', place: '', text: 'well' });
    expect(printTable(rows, undefined)).toBe(
      'NAME          PLACE   TEXT\na-long-name   x       -\nb             -       well',
    );
  });

  test.each([
    ['on one line where lines have no end', undefined, `NAME   PLACE   TEXT\nweb    here    ${LONG}`],
    [
      'wrapped next to its row where that has room',
      60,
      'NAME   PLACE   TEXT\nweb    here    one two three four five six seven eight nine\n               ten eleven twelve',
    ],
    [
      'below its row where that has none',
      40,
      'NAME   PLACE\nweb    here\n  one two three four five six seven\n  eight nine ten eleven twelve',
    ],
    ['below a row without its spare column', 11, 'NAME\nweb\n  one two\n  three'],
  ])('shows a text %s', (_, width, expected) => {
    const shown = printTable(table({ name: 'web', place: 'here', text: LONG }), width);
    expect(shown.slice(0, expected.length)).toBe(expected);
  });

  test('shows cells one below the other where columns have no room', () => {
    const rows = table(
      { name: 'a-name-that-is-long', place: 'x', text: 'a b c d' },
      { name: 'b', place: '', text: '' },
    );
    expect(printTable(rows, 14)).toBe('NAME   a-name-\n       that-is\n       -long\nTEXT   a b c d\n\nNAME   b');
  });

  test('keeps a cell on one line, without control characters', () => {
    expect(printTable(table({ name: 'a', place: 'b', text: 'one\n\t\u001b[2Jtwo' }), undefined)).toBe(
      'NAME   PLACE   TEXT\na      b       one [2Jtwo',
    );
  });

  test('has as many rows as there are', () => {
    const rows = Array.from({ length: 200_000 }, () => ({ name: 'web', place: 'here', text: 'well' }));
    const shown = printTable({ ...table(), rows }, undefined);
    expect(shown.split('\n')).toHaveLength(200_001);
  });

  test('prints the titles alone without rows', () => {
    expect(printTable(table(), undefined)).toBe('NAME   PLACE   TEXT');
  });

  test('colours a cell after its width is known', () => {
    const { text, rows } = table({ name: 'web', place: 'x', text: 'y' });
    const columns = [{ title: 'NAME', value: ({ name }: Row) => name, paint: (cell: string) => `<${cell}>` }];
    expect(printTable({ columns, text, rows }, undefined)).toBe('NAME   TEXT\n<web >   y');
  });
});
