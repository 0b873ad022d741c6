import { expect, test } from '@jest/globals';
import { quotaOfVolume, quotaProblem } from '#engine/artifact/model/limits.js';

test.each([
  ['an empty store has room', { total: 0, namespace: 0, owner: 0 }, 50, undefined],
  ['half of the quota is for one namespace', { total: 40, namespace: 40, owner: 0 }, 10, undefined],
  ['and not a byte more', { total: 40, namespace: 40, owner: 0 }, 11, /would use more than half/],
  ['though it is alone', { total: 0, namespace: 0, owner: 0 }, 51, /would use more than half/],
  ['the whole quota is for all of them', { total: 90, namespace: 0, owner: 0 }, 10, undefined],
  ['and not a byte more for all', { total: 90, namespace: 0, owner: 0 }, 11, /quota of 100 bytes is used up/],
  ['an artifact replaces the one before it', { total: 90, namespace: 45, owner: 45 }, 50, undefined],
  ['and not those of others', { total: 90, namespace: 45, owner: 20 }, 26, /would use more than half/],
  ['nor more than the share of a namespace', { total: 90, namespace: 90, owner: 90 }, 11, /would use more than half/],
])('%s', (_title, used, bytes, problem) => {
  const found = quotaProblem(100, used, bytes);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found?.message).toMatch(problem);
});

test.each([
  [1_000, 750],
  [10_737_418_241, 8_053_063_680],
  [0, undefined],
  [Number.NaN, undefined],
])('a volume of %s bytes has a quota of %s', (volume, quota) => expect(quotaOfVolume(volume)).toBe(quota));
