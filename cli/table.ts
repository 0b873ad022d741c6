export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
}

const GAP = 3;

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim() || '-';
}

/**
 * Rows as kubectl prints them: upper-case titles, columns as wide as their widest cell, three spaces between, no
 * trailing blanks. An empty cell is `-`. Without rows only the titles are printed.
 */
export function printTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ value }) => oneLine(value(row)))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd((widths[index] ?? 0) + GAP))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}
