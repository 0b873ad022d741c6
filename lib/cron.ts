import { Cron } from 'croner';

/** When a schedule of cron is due. */
export interface Due {
  /** The first time after `ms`; undefined: never again. */
  readonly after: (ms: number) => number | undefined;
  /** The last time that is not after `ms`; undefined: never before. */
  readonly upTo: (ms: number) => number | undefined;
}

/**
 * Reads a schedule of five fields, in an IANA time zone; times are epoch milliseconds. Where clocks change: a time that
 * is skipped is due right after the gap, one that comes twice only once, and what repeats within an hour as often as it
 * comes. Throws for any other text. Each answer takes about 0.2 ms, and 0.1 s if the schedule is never due.
 */
export function readCron(schedule: string, timeZone: string): Due {
  const cron = new Cron(schedule, { timezone: timeZone, mode: '5-part', paused: true });
  // A moment that is given: no clock is read.
  // eslint-disable-next-line no-restricted-globals
  const dateOf = (ms: number): Date => new Date(ms);
  return {
    after: (ms) => cron.nextRun(dateOf(ms))?.getTime(),
    upTo: (ms) => cron.previousRuns(1, dateOf(ms + 1))[0]?.getTime(),
  };
}
