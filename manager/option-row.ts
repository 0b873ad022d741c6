/** One flag of a verb that runs a server: the only place that knows its name, default and text. */
export interface OptionRow<Key extends string = string> {
  /** Key in `Options`. */
  readonly key: Key;
  /** Long flag without dashes. */
  readonly flag: string;
  /** What the value is called in the help; absent for a switch. */
  readonly value?: string;
  readonly defaultValue?: string;
  readonly description: string;
  /** What a valid value is, for the message that refuses another one; default: a valid `value`. */
  readonly expects?: string;
  /** Turns the text into the option's value; undefined means: not valid. */
  readonly parse?: (text: string) => unknown;
}

/** Raw values of flags by `OptionRow.key`: text for flags with a value, true for switches. */
export type RawOptions = Readonly<Record<string, string | boolean | undefined>>;

/** The value of a row; undefined for a text that is not valid. */
function optionValue(row: OptionRow, given: string | boolean | undefined): unknown {
  if (row.value === undefined) return given === true;
  const text = given ?? row.defaultValue;
  return text === undefined || row.parse === undefined ? text : row.parse(String(text));
}

function problemOf(row: OptionRow, raw: RawOptions): string | undefined {
  const text = raw[row.key] ?? row.defaultValue;
  if (text === undefined || optionValue(row, text) !== undefined) return undefined;
  return `--${row.flag}: ${JSON.stringify(text)} is not ${row.expects ?? `a valid ${row.value ?? 'value'}`}`;
}

/** The values of all rows by their keys. Throws a RangeError with one line for each wrong value, which names its flag. */
export function optionsFrom(rows: readonly OptionRow[], raw: RawOptions): Readonly<Record<string, unknown>> {
  const problems = rows.map((row) => problemOf(row, raw)).filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new RangeError(problems.join('\n'));
  return Object.fromEntries(rows.map((row) => [row.key, optionValue(row, raw[row.key])]));
}
