import { readCron, type Due } from '#controllers/runtime/pure/cron.js';
import { parseDuration } from '#controllers/runtime/pure/duration.js';
import { createLru } from '#controllers/runtime/pure/lru.js';
import { scheduleProblem } from './cron-fields.js';

/** A time in which updates may start. */
export interface Window {
  /** When it opens: five fields of cron. */
  readonly schedule: string;
  /** How long it is open, in elapsed time. */
  readonly duration: string;
  /** IANA; default: UTC. */
  readonly timeZone?: string;
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
