/** One of the five fields of a schedule. */
interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Names for its values, from the least. */
  readonly words?: readonly string[];
}

const MINUTE: Field = { name: 'minute', least: 0, most: 59 };
const HOUR: Field = { name: 'hour', least: 0, most: 23 };
const DAY: Field = { name: 'day of the month', least: 1, most: 31 };
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH: Field = { name: 'month', least: 1, most: 12, words: MONTHS };
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const WEEKDAY: Field = { name: 'day of the week', least: 0, most: 7, words: WEEKDAYS };
const FIELDS = [MINUTE, HOUR, DAY, MONTH, WEEKDAY];

/** A year with all days that there are. */
const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const MAX_LENGTH = 256;
const ITEM = /^(?:\*|([0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?)(?:\/([0-9]{1,2}))?$/;

const NONE: ReadonlySet<number> = new Set();

/** One of the parts between commas; without `first` it is `*`. */
interface Item {
  readonly first: string | undefined;
  readonly last: string | undefined;
  readonly every: string | undefined;
}

type Values = { readonly values: ReadonlySet<number> } | { readonly problem: string };

function itemOf(text: string): Item | undefined {
  const groups: readonly (string | undefined)[] | null = ITEM.exec(text);
  if (groups === null) return undefined;
  const [, first, last, every] = groups;
  return { first, last, every };
}

function valueOf(text: string, { least, words = [] }: Field): number {
  const index = words.indexOf(text);
  return index < 0 ? Number(text) : index + least;
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

/** The first and last value of an item, before its step; NaN where it has an unknown word. */
function boundsOf({ first, last }: Item, field: Field): readonly [from: number, to: number] {
  if (first === undefined) return [field.least, field.most];
  const from = valueOf(first, field);
  return [from, last === undefined ? from : valueOf(last, field)];
}

function itemValues(text: string, field: Field): readonly number[] | string {
  const item = itemOf(text);
  if (item === undefined) return `"${text}" is none`;
  const { least, most } = field;
  const [from, to] = boundsOf(item, field);
  if (!(from >= least && to <= most)) return `"${text}" is not within ${least}-${most}`;
  if (from > to) return `"${text}" ends before it begins`;
  if (item.every === undefined) return range(from, to, 1);
  if (item.first !== undefined && item.last === undefined) return `"${text}" has a step, but no range or "*" before it`;
  const step = Number(item.every);
  return step < 1 || step > most ? `"${text}" has no valid step` : range(from, to, step);
}

function fieldValues(text: string, field: Field): Values {
  const values = new Set<number>();
  for (const item of text.toLowerCase().split(',')) {
    const found = itemValues(item, field);
    if (typeof found === 'string') return { problem: `${field.name}: ${found}` };
    for (const value of found) values.add(value);
  }
  return { values };
}

/** With both restricted, a schedule is for days that either of them names, as in cron. */
function hasDay(days: ReadonlySet<number>, months: ReadonlySet<number>, weekdayText: string): boolean {
  if (weekdayText !== '*') return true;
  const longest = Math.max(...[...months].map((month) => DAYS_OF_MONTHS[month - 1] ?? 0));
  return Math.min(...days) <= longest;
}

/** Why a text is no schedule of five fields that is ever due; undefined if it is one. Never throws. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.length > MAX_LENGTH) return `it has ${schedule.length} characters, of at most ${MAX_LENGTH}`;
  const texts = schedule.trim().split(/[ \t]+/);
  if (texts.length !== FIELDS.length) {
    return 'it needs five fields: minute, hour, day of the month, month, day of the week; e.g. "0 22 * * 1-5"';
  }
  const found = FIELDS.map((field, index) => fieldValues(texts[index] ?? '', field));
  const values: ReadonlySet<number>[] = [];
  for (const each of found) {
    if ('problem' in each) return each.problem;
    values.push(each.values);
  }
  const [, , days = NONE, months = NONE] = values;
  return hasDay(days, months, texts[4] ?? '') ? undefined : 'it never opens: none of its months has such a day';
}
