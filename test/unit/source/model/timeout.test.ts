import { expect, test } from '@jest/globals';
import { fetchTimeoutMs, timeoutField } from '#controllers/source/model/source.js';

test.each([
  ['a minute by default', undefined, 60_000, 'spec.timeout'],
  ['what the spec says', '90s', 90_000, 'spec.timeout'],
  ['ten minutes at most', '2h', 600_000, 'spec.timeout, at most 10m'],
])('a fetch may take %s', (_title, timeout, expected, field) => {
  expect(fetchTimeoutMs(timeout)).toBe(expected);
  expect(timeoutField(expected)).toBe(field);
});
