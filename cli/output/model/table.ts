import sortBy from 'lodash/sortBy.js';
import { oneLine } from '#lib/text/text.js';
import { painted, type Terminal, withSymbol } from './terminal.js';
import { padded, widthOf, wrap } from './text.js';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Colours a cell, which has its final width. */
  readonly paint?: (cell: string, row: Row) => string;
  /** A narrow terminal does without columns that have this, the highest first. */
  readonly spare?: number;
}

/** A table with one text per row that may be long: it is wrapped, never cut. */
export interface Table<Row> {
  readonly columns: readonly Column<Row>[];
  readonly text: Column<Row>;
  readonly rows: readonly Row[];
}

const GAP = 3;
const INDENT = '  ';
/** Of the text; with less room next to its row it stands below it. */
const LEAST_TEXT_COLUMNS = 40;

function cellOf<Row>({ value }: Column<Row>, row: Row): string {
  return oneLine(value(row));
}

function shown(cell: string): string {
  return cell === '' ? '-' : cell;
}

function widthOfColumn<Row>(column: Column<Row>, rows: readonly Row[]): number {
  // No spread: a call takes fewer arguments than a list may have rows.
  return rows.reduce((most, row) => Math.max(most, widthOf(shown(cellOf(column, row)))), widthOf(column.title));
}

/** Words of a text are only broken where they have no line of their own. */
function longestWord<Row>(column: Column<Row>, rows: readonly Row[]): number {
  const words = rows.flatMap((row) => cellOf(column, row).split(' '));
  return words.reduce((most, word) => Math.max(most, widthOf(word)), 0);
}

function indented(lines: readonly string[], indent: string): string[] {
  return lines.map((line) => indent + line);
}

/** One line per row, without its text. */
function linesOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): { titles: string; lines: string[] } {
  const widths = columns.map((column) => widthOfColumn(column, rows));
  const join = (cells: readonly string[]): string => cells.join(' '.repeat(GAP));
  const titles = join(columns.map(({ title }, index) => padded(title, widths[index] ?? 0)));
  const lines = rows.map((row) =>
    join(
      columns.map((column, index) => {
        const cell = padded(shown(cellOf(column, row)), widths[index] ?? 0);
        return column.paint === undefined ? cell : column.paint(cell, row);
      }),
    ),
  );
  return { titles, lines };
}

function textAtTheEnd<Row>({ columns, text, rows }: Table<Row>, textWidth: number): string[] {
  const { titles, lines } = linesOf(columns, rows);
  const start = widthOf(titles) + GAP;
  const gap = ' '.repeat(GAP);
  const body = rows.flatMap((row, index) => {
    const [first = '', ...more] = wrap(shown(cellOf(text, row)), textWidth);
    return [`${lines[index]}${gap}${first}`, ...indented(more, ' '.repeat(start))];
  });
  return [`${titles}${gap}${text.title}`, ...body];
}

function textBelow<Row>({ columns, text, rows }: Table<Row>, width: number): string[] {
  const { titles, lines } = linesOf(columns, rows);
  const body = rows.flatMap((row, index) => {
    const below = wrap(cellOf(text, row), width - INDENT.length);
    return [(lines[index] ?? '').trimEnd(), ...indented(below, INDENT)];
  });
  return [titles.trimEnd(), ...body];
}

/** No column has room: each cell is a line with its title, and a row a paragraph. */
function oneBelowTheOther<Row>({ columns, text, rows }: Table<Row>, width: number): string[] {
  const all = [...columns, text];
  const start = Math.max(...all.map(({ title }) => widthOf(title))) + GAP;
  const lines = rows.map((row) =>
    all.flatMap((column) => {
      const { title, value, paint = (cell) => cell } = column;
      const parts = wrap(oneLine(value(row)), width - start);
      return parts.map((part, index) => padded(index === 0 ? title : '', start) + paint(part, row));
    }),
  );
  return lines.flatMap((paragraph, index) => (index === 0 ? paragraph : ['', ...paragraph]));
}

function widthOfColumns<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number {
  return columns.reduce((sum, column) => sum + widthOfColumn(column, rows) + GAP, 0) - GAP;
}

/** The columns without spare ones, as far as their lines would not fit. */
function fitting<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): readonly Column<Row>[] {
  if (widthOfColumns(columns, rows) <= width) return columns;
  const most = Math.max(...columns.map(({ spare = 0 }) => spare));
  if (most === 0) return columns;
  const rest = columns.filter(({ spare }) => spare !== most);
  return fitting(rest, rows, width);
}

/**
 * A table as kubectl prints it: upper-case titles, columns as wide as their widest cell, three spaces between. An empty
 * cell is `-`. Without `width`, each row is one line. With it, no line is wider: the text of a row is wrapped, next to
 * the row or below it, and where even the columns have no room they stand one below the other.
 */
export function printTable<Row>(table: Table<Row>, width: number | undefined): string {
  const { columns, text, rows } = table;
  const textWidth = widthOfColumn(text, rows);
  const left = (width ?? Infinity) - widthOfColumns(columns, rows) - GAP;
  const fits = left >= Math.min(textWidth, LEAST_TEXT_COLUMNS);
  if (width === undefined || (fits && left >= longestWord(text, rows))) return trimmed(textAtTheEnd(table, left));
  const narrow = { ...table, columns: fitting(columns, rows, width) };
  const isOneLine = widthOfColumns(narrow.columns, rows) <= width;
  return trimmed(isOneLine ? textBelow(narrow, width) : oneBelowTheOther(narrow, width));
}

function trimmed(lines: readonly string[]): string {
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** The column of the states of rows, with their symbols and colours. */
export function stateColumn(terminal: Pick<Terminal, 'hasColors' | 'hasSymbols'>): Column<{ readonly state: string }> {
  return {
    title: 'STATE',
    value: ({ state }) => withSymbol(state, terminal),
    paint: (cell, { state }) => painted(cell, state, terminal),
  };
}

/** Rows by their states, in the given order; those of unknown states first. */
export function byState<Row extends { readonly state: string }>(rows: readonly Row[], order: readonly string[]): Row[] {
  const ranks = new Map(order.map((state, rank) => [state, rank]));
  return sortBy(rows, ({ state }) => ranks.get(state) ?? -1);
}
