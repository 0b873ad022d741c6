import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Window } from '#controllers/application/model/rollout/types.js';
import { windowProblem, windowsAt } from '#controllers/application/model/rollout/windows.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';

const MINUTE = 60_000;
const NIGHT: Window = { schedule: '0 22 * * 1-5', duration: '4h' };

function window(schedule: string, duration: string, timeZone?: string): Window {
  return timeZone === undefined ? { schedule, duration } : { schedule, duration, timeZone };
}

/** What `windowsAt` says, with times as texts. */
function at(windows: readonly Window[], time: string): [open: boolean, next: string | undefined] {
  const { open, nextMs } = windowsAt(windows, Date.parse(time));
  return [open, nextMs === undefined ? undefined : new Date(nextMs).toISOString().replace('.000Z', 'Z')];
}

it.each<[Window, string]>([
  [window('61 * * * *', '1h'), 'schedule "61 * * * *": minute: "61" is not within 0-59'],
  [window('nightly', '1h'), 'schedule "nightly": it needs five fields'],
  [window('0 0 31 2 *', '1h'), 'schedule "0 0 31 2 *": it never opens'],
  [window('0 0 * * *', '0s'), 'duration: "0s" is not longer than zero'],
  [window('0 0 * * *', '-1h'), 'duration: "-1h" is no duration'],
  [window('0 0 * * *', ''), 'duration: "" is no duration'],
  [window('0 0 * * *', 'P1D'), 'duration: "P1D" is no duration'],
  [window('0 0 * * *', '9000h'), 'duration: "9000h" is longer than a year'],
  [window('0 0 * * *', '1h', 'Mars/Olympus'), 'timeZone "Mars/Olympus" is unknown'],
  [window('0 0 * * *', '1h', '+01:00'), 'timeZone "+01:00" is unknown'],
  [window('0 0 * * *', '1h', ''), 'timeZone "" is unknown'],
])('%j is not valid: %s, and never open', (given, problem) => {
  expect(windowProblem(given)).toContain(problem);
  expect(windowsAt([given], Date.parse('2026-01-01T00:00:00Z'))).toEqual({ open: false, nextMs: undefined });
});

it('is valid', () => {
  expect(windowProblem(NIGHT)).toBeUndefined();
  expect(windowProblem(window('0 0 29 2 *', '1h30m', 'Europe/Berlin'))).toBeUndefined();
});

describe('windows', () => {
  const BERLIN = 'Europe/Berlin';
  const cases: [string, Window[], string, [open: boolean, next: string | undefined]][] = [
    ['none at all', [], '2026-01-01T00:00:00Z', [false, undefined]],
    ['just before', [NIGHT], '2026-01-01T21:59:59.999Z', [false, '2026-01-01T22:00:00Z']],
    ['as it opens', [NIGHT], '2026-01-01T22:00:00Z', [true, '2026-01-02T02:00:00Z']],
    ['just before it closes', [NIGHT], '2026-01-02T01:59:59.999Z', [true, '2026-01-02T02:00:00Z']],
    ['as it closes', [NIGHT], '2026-01-02T02:00:00Z', [false, '2026-01-02T22:00:00Z']],
    ['over a weekend', [NIGHT], '2026-01-03T12:00:00Z', [false, '2026-01-05T22:00:00Z']],
    ['a leap day', [window('0 0 29 2 *', '24h')], '2025-03-01T00:00:00Z', [false, '2028-02-29T00:00:00Z']],
    ['on a leap day', [window('0 0 29 2 *', '24h')], '2028-02-29T23:59:00Z', [true, '2028-03-01T00:00:00Z']],
    [
      'a skipped time opens after the gap',
      [window('30 2 * * *', '1h', BERLIN)],
      '2026-03-29T00:30:00Z',
      [false, '2026-03-29T01:00:00Z'],
    ],
    [
      'across spring forward, elapsed time',
      [window('0 1 * * *', '3h', BERLIN)],
      '2026-03-29T00:00:00Z',
      [true, '2026-03-29T03:00:00Z'],
    ],
    [
      'a doubled time opens once',
      [window('30 2 * * *', '30m', BERLIN)],
      '2026-10-25T00:30:00Z',
      [true, '2026-10-25T01:00:00Z'],
    ],
    [
      'not the second time',
      [window('30 2 * * *', '30m', BERLIN)],
      '2026-10-25T01:30:00Z',
      [false, '2026-10-26T01:30:00Z'],
    ],
    [
      'across fall back, elapsed time',
      [window('0 1 * * *', '3h', BERLIN)],
      '2026-10-25T00:00:00Z',
      [true, '2026-10-25T02:00:00Z'],
    ],
    [
      'a zone without DST',
      [window('0 1 * * *', '3h', 'Asia/Kolkata')],
      '2026-03-29T00:00:00Z',
      [false, '2026-03-29T19:30:00Z'],
    ],
    [
      'a change by half an hour',
      [window('0 3 * * *', '1h', 'Australia/Lord_Howe')],
      '2026-10-03T16:00:00Z',
      [true, '2026-10-03T17:00:00Z'],
    ],
    [
      'overlapping ones',
      [window('0 1 * * *', '2h'), window('0 2 * * *', '3h')],
      '2026-01-01T01:30:00Z',
      [true, '2026-01-01T05:00:00Z'],
    ],
    [
      'one in another',
      [window('0 1 * * *', '9h'), window('0 2 * * *', '1h')],
      '2026-01-01T02:30:00Z',
      [true, '2026-01-01T10:00:00Z'],
    ],
    [
      'one right after another',
      [window('0 1 * * *', '1h'), window('0 2 * * *', '1h')],
      '2026-01-01T01:30:00Z',
      [true, '2026-01-01T03:00:00Z'],
    ],
    [
      'one that overlaps itself',
      [window('0 1,2 * * *', '90m')],
      '2026-01-01T01:30:00Z',
      [true, '2026-01-01T03:30:00Z'],
    ],
    [
      'the next of several',
      [NIGHT, window('0 6 * * *', '1h')],
      '2026-01-02T03:00:00Z',
      [false, '2026-01-02T06:00:00Z'],
    ],
    ['junk among others', [window('junk', '1h'), NIGHT], '2026-01-01T22:00:00Z', [true, '2026-01-02T02:00:00Z']],
  ];
  it.each(cases)('%s: %j at %s', (_, windows, time, state) => {
    expect(at(windows, time)).toEqual(state);
  });

  it('are right whichever way the clock jumps', () => {
    const times = ['2026-01-01T23:00:00Z', '2026-01-02T03:00:00Z', '2026-01-01T21:00:00Z', '2026-01-02T01:00:00Z'];
    for (const order of [times, [...times].reverse()]) {
      const states = new Map(order.map((time) => [time, at([NIGHT], time)[0]]));
      expect(times.map((time) => states.get(time))).toEqual([true, false, false, true]);
    }
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 8.64e15])('are closed at %d', (nowMs) => {
    expect(windowsAt([NIGHT], nowMs)).toEqual({ open: false, nextMs: undefined });
  });

  it('that never close say when to ask again, soon enough', () => {
    const always = window('* * * * *', '1m', 'Europe/Berlin');
    const newYear = Date.parse('2026-01-01T00:00:00Z');
    const cost = cpuMsOf(() => {
      const { open, nextMs } = windowsAt([always, { ...always, duration: '61s' }], newYear);
      expect(open).toBe(true);
      expect(nextMs).toBeGreaterThan(newYear);
    });
    expect(cost).toBeLessThan(5_000);
  });
});

const SCHEDULES = ['0 2 * * *', '30 2 * * *', '15 1-3 * * *', '0 0 * * 0', '*/30 2 * * *', '0 0 29 2 *', '0 12 1 * 1'];
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Sao_Paulo'];
const DURATIONS = ['1m', '45m', '1h', '2h30m', '26h', '90s'];
/** Around changes of the clocks, and anywhere. */
const MOMENTS = [
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2026-03-08T07:00:00Z',
  '2026-11-01T06:00:00Z',
  '2018-11-04T03:00:00Z',
  '2026-04-04T15:00:00Z',
  '2028-02-29T00:00:00Z',
];

const MOST_FOLLOWED_MS = 60 * 24 * 60 * MINUTE;

const anyWindow = fc.record({
  schedule: fc.constantFrom(...SCHEDULES),
  duration: fc.constantFrom(...DURATIONS),
  timeZone: fc.constantFrom(...ZONES),
});
const anyMoment = fc
  .tuple(fc.constantFrom(...MOMENTS), fc.integer({ min: -36 * 60, max: 36 * 60 }), fc.integer({ min: 0, max: MINUTE }))
  .map(([moment, minutes, ms]) => Date.parse(moment) + minutes * MINUTE + ms);

it('nextMs is exactly where open flips', () => {
  fc.assert(
    fc.property(fc.array(anyWindow, { minLength: 1, maxLength: 3 }), anyMoment, fc.nat(), (windows, nowMs, seed) => {
      const { open, nextMs } = windowsAt(windows, nowMs);
      expect(nextMs).toBeGreaterThan(nowMs);
      const end = nextMs ?? 0;
      const between = nowMs + (seed % (end - nowMs));
      // From its earliest moment to its latest: what is known of an earlier moment is not asked again.
      const fresh = (ms: number): boolean => windowsAt([...windows, window('junk', String(ms))], ms).open;
      expect([fresh(between), fresh(end - 1)]).toEqual([open, open]);
      // One that opens before the last one closes, again and again, is not followed longer than this.
      if (!open || end - nowMs < MOST_FOLLOWED_MS) expect(fresh(end)).toBe(!open);
    }),
    { numRuns: 100 },
  );
});

const daily = fc.record({
  hours: fc.array(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 4 }),
  minute: fc.integer({ min: 0, max: 59 }),
  length: fc.integer({ min: 1, max: 300 }),
});

it('is open where a minute of UTC within its duration matches', () => {
  fc.assert(
    fc.property(daily, anyMoment, ({ hours, minute, length }, nowMs) => {
      const { open } = windowsAt([window(`${minute} ${hours.join(',')} * * *`, `${length}m`)], nowMs);
      const isStart = (ms: number): boolean => {
        const date = new Date(ms);
        return date.getUTCMinutes() === minute && hours.includes(date.getUTCHours()) && ms + length * MINUTE > nowMs;
      };
      const first = Math.floor(nowMs / MINUTE);
      expect(open).toBe(Array.from({ length: length + 1 }, (_, index) => (first - index) * MINUTE).some(isStart));
    }),
    { numRuns: 200 },
  );
});
