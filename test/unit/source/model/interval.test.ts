import { expect, test } from '@jest/globals';
import { nextFetchMs } from '#controllers/source/model/source.js';

test.each([
  ['a source without an interval is fetched every minute', undefined, 0, 60_000],
  ['a source is fetched at its interval', '10m', 0, 600_000],
  ['with up to a twentieth more', '10m', 1, 630_000],
  ['an interval of zero is never', '0s', 0.5, undefined],
])('%s', (_title, interval, random, expected) => expect(nextFetchMs(interval, random)).toBe(expected));
