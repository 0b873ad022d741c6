import { expect, it } from '@jest/globals';
import { readCron } from '#lib/cron.js';

const text = (ms: number | undefined): string => (ms === undefined ? 'never' : new Date(ms).toISOString());

it.each([
  ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
  ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
  ['*/30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T01:00:00.000Z'],
  ['30 0 * * *', 'America/Sao_Paulo', '2018-11-04T00:00:00Z', '2018-11-04T03:00:00.000Z'],
  ['0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['0 0 31 2 *', 'UTC', '2026-01-01T00:00:00Z', 'never'],
])('%s in %s is due after %s at %s', (schedule, timeZone, after, due) => {
  const { after: next, upTo } = readCron(schedule, timeZone);
  const found = next(Date.parse(after));
  expect(text(found)).toBe(due);
  if (found === undefined) return;
  expect(upTo(found)).toBe(found);
  expect(upTo(found + 59_999)).toBe(found);
  expect(upTo(found - 1)).toBeLessThan(found);
});

it.each(['* * * * * *', 'junk', '61 * * * *'])('%s is none', (schedule) => {
  expect(() => readCron(schedule, 'UTC')).toThrow();
});
