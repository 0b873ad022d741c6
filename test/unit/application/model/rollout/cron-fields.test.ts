import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scheduleProblem } from '#controllers/application/model/rollout/windows.js';
import { readCron } from '#lib/cron.js';

const REFERENCE = Date.parse('2024-01-01T00:00:00Z');

it.each([
  '* * * * *',
  '0 22 * * 1-5',
  '*/15 8-17/2 1,15 jan-mar mon,wed',
  '0 0 29 2 *',
  '0 0 31 2 1',
  '0 0 * * 7',
  ' 0 0 * * SUN ',
])('%s is a schedule', (schedule) => {
  expect(scheduleProblem(schedule)).toBeUndefined();
});

it.each([
  ['', 'it needs five fields'],
  ['* * * *', 'it needs five fields'],
  ['0 * * * * *', 'it needs five fields'],
  ['@daily', 'it needs five fields'],
  ['60 * * * *', 'minute: "60" is not within 0-59'],
  ['* 24 * * *', 'hour: "24" is not within 0-23'],
  ['* * 0 * *', 'day of the month: "0" is not within 1-31'],
  ['* * * 13 *', 'month: "13" is not within 1-12'],
  ['* * * * 8', 'day of the week: "8" is not within 0-7'],
  ['* * * mon *', 'month: "mon" is not within 1-12'],
  ['5-1 * * * *', 'minute: "5-1" ends before it begins'],
  ['*/0 * * * *', 'minute: "*/0" has no valid step'],
  ['5/5 * * * *', 'minute: "5/5" has a step, but no range'],
  ['1,,2 * * * *', 'minute: "" is none'],
  ['* * L * *', 'day of the month: "l" is none'],
  ['? * * * *', 'minute: "?" is none'],
  ['* * 1W * *', 'day of the month: "1w" is none'],
  ['* * * * 1#2', 'day of the week: "1#2" is none'],
  ['-1 * * * *', 'minute: "-1" is none'],
  ['١ * * * *', 'minute: "١" is none'],
  ['0 0 30 2 *', 'it never opens'],
  ['0 0 31 2,4,6,9,11 *', 'it never opens'],
  ['1,'.repeat(200), 'it has 400 characters'],
])('%s is none: %s', (schedule, problem) => {
  expect(scheduleProblem(schedule)).toContain(problem);
});

const item = (least: number, most: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: least - 1, max: most + 1 }).map(String),
    fc
      .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
      .map((pair) => pair.join('-')),
    fc.integer({ min: 0, max: most + 1 }).map((step) => `*/${step}`),
  );
const field = (least: number, most: number) =>
  fc.array(item(least, most), { minLength: 1, maxLength: 3 }).map((items) => items.join(','));

it('is what the library reads, and finds a time for', () => {
  const schedules = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7));
  fc.assert(
    fc.property(schedules, (fields) => {
      const schedule = fields.join(' ');
      const read = (): number | undefined => readCron(schedule, 'UTC').after(REFERENCE);
      const problem = scheduleProblem(schedule);
      if (problem === undefined) expect(read()).toBeDefined();
      else if (problem.startsWith('it never opens')) expect(read()).toBeUndefined();
    }),
    { numRuns: 150 },
  );
});
