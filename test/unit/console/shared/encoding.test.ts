import { expect, test } from '@jest/globals';
import { takesGzip } from '#console/shared/request-headers.js';

test.each<[string | undefined, boolean]>([
  ['gzip', true],
  ['gzip, deflate, br', true],
  ['br , gzip', true],
  ['gzip;q=0', false],
  ['x-gzip', false],
  ['identity', false],
  ['', false],
  [undefined, false],
])('Accept-Encoding %j takes gzip: %j', (accepted, expected) => {
  expect(takesGzip(accepted)).toBe(expected);
});
