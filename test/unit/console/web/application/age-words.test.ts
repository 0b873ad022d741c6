import { expect, it } from '@jest/globals';
import { ageWords } from '#console/web/application/model/status-words.js';

const NOW_MS = Date.parse('2026-01-10T12:00:00Z');

it.each([
  ['2026-01-10T11:59:30Z', 'just now'],
  ['2026-01-10T12:05:00Z', 'just now'],
  ['2026-01-10T11:59:00Z', '1 minute ago'],
  ['2026-01-10T11:55:00Z', '5 minutes ago'],
  ['2026-01-10T10:01:00Z', '119 minutes ago'],
  ['2026-01-10T10:00:00Z', '2 hours ago'],
  ['2026-01-08T12:00:01Z', '47 hours ago'],
  ['2026-01-08T12:00:00Z', '2 days ago'],
  ['2020-01-10T12:00:00Z', '2,192 days ago'],
  ['', ''],
  ['soon', ''],
])('%s was %s', (time, words) => {
  expect(ageWords(NOW_MS - Date.parse(time))).toBe(words);
});
