import { type Due, readCron } from '#lib/cron.js';
import { parseDuration } from '#lib/duration.js';
import { createLru } from '#lib/lru.js';
import type { Window } from './types.js';

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

/** Whether a window is open, and when that changes. */
export interface WindowState {
  readonly open: boolean;
  /** Epoch milliseconds; undefined: never. */
  readonly nextMs: number | undefined;
}

const MAX_DURATION_MS = 366 * 24 * 3_600_000;
/** Of one question: each takes about 0.2 ms. What is still open after these is asked again. */
const MAX_LOOKUPS = 200;
/** Of the texts of windows whose state is known. */
const KNOWN_CHARACTERS = 1_000_000;
/** Before the year 9999. */
const MAX_MS = 8_000 * 365 * 24 * 3_600_000;

function durationProblem(duration: string): string | undefined {
  const ms = parseDuration(duration);
  if (ms === undefined) return `${JSON.stringify(duration)} is no duration: use e.g. 2h or 90m`;
  if (ms < 1) return `${JSON.stringify(duration)} is not longer than zero: use e.g. 2h or 90m`;
  return ms > MAX_DURATION_MS ? `${JSON.stringify(duration)} is longer than a year` : undefined;
}

function isTimeZone(timeZone: string): boolean {
  // Some versions of Node know offsets, too.
  if (!/^[A-Za-z]/.test(timeZone)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Why a window is not valid, with the field; undefined if it is. Never throws. */
export function windowProblem({ schedule, duration, timeZone = 'UTC' }: Window): string | undefined {
  const ofSchedule = scheduleProblem(schedule);
  if (ofSchedule !== undefined) return `schedule ${JSON.stringify(schedule)}: ${ofSchedule}`;
  const ofDuration = durationProblem(duration);
  if (ofDuration !== undefined) return `duration: ${ofDuration}`;
  return isTimeZone(timeZone)
    ? undefined
    : `timeZone ${JSON.stringify(timeZone)} is unknown: use one like Europe/Berlin`;
}

interface Opening {
  readonly due: Due;
  readonly durationMs: number;
}

function openingOf({ schedule, duration, timeZone = 'UTC' }: Window): Opening {
  return { due: readCron(schedule.trim(), timeZone), durationMs: Math.floor(parseDuration(duration) ?? 0) };
}

/** When a window that is open at a time closes, if it does not open again before; undefined if it is not open. */
function closingAt({ due, durationMs }: Opening, ms: number): number | undefined {
  const end = (due.upTo(ms) ?? Number.NEGATIVE_INFINITY) + durationMs;
  return end > ms ? end : undefined;
}

/** When the last of the windows closes that are open at a time, or open until the others close. */
function closing(openings: readonly Opening[], nowMs: number): number | undefined {
  let endMs: number | undefined;
  for (let left = MAX_LOOKUPS; left > 0; left -= openings.length) {
    const ends = openings.flatMap((each) => closingAt(each, endMs ?? nowMs) ?? []);
    if (ends.length === 0) break;
    endMs = Math.max(...ends);
  }
  return endMs;
}

function opening(openings: readonly Opening[], nowMs: number): number | undefined {
  const starts = openings.flatMap(({ due }) => due.after(nowMs) ?? []);
  return starts.length === 0 ? undefined : Math.min(...starts);
}

function stateAt(windows: readonly Window[], nowMs: number): WindowState {
  const openings = windows.filter((each) => windowProblem(each) === undefined).map(openingOf);
  const endMs = closing(openings, nowMs);
  return endMs === undefined ? { open: false, nextMs: opening(openings, nowMs) } : { open: true, nextMs: endMs };
}

interface Known extends WindowState {
  readonly sinceMs: number;
  readonly size: number;
}

const known = createLru<Known>(KNOWN_CHARACTERS, ({ size }) => size);

/**
 * Whether any of the windows is open at `nowMs` (epoch milliseconds), and when that changes. Windows that are not valid
 * are never open. Windows that follow each other without a gap are one; if they are very many, `nextMs` is when to ask
 * again. Never throws.
 */
export function windowsAt(windows: readonly Window[], nowMs: number): WindowState {
  if (!(nowMs >= 0 && nowMs < MAX_MS)) return { open: false, nextMs: undefined };
  const key = JSON.stringify(windows.map(({ schedule, duration, timeZone }) => [schedule, duration, timeZone]));
  const last = known.get(key);
  // The clock may have been set back.
  const isCurrent = last !== undefined && last.sinceMs <= nowMs && nowMs < (last.nextMs ?? MAX_MS);
  const { open, nextMs } = isCurrent ? last : stateAt(windows, nowMs);
  if (!isCurrent) known.set(key, { open, nextMs, sinceMs: nowMs, size: key.length });
  return { open, nextMs };
}
