import { expect, test } from '@jest/globals';
import { quotaProblem } from '#controllers/engine/artifact/model/quota.js';

test.each([
  ['an empty store has room', { total: 0, namespace: 0 }, 50, undefined],
  ['half of the quota is for one namespace', { total: 40, namespace: 40 }, 10, undefined],
  ['and not a byte more', { total: 40, namespace: 40 }, 11, /would use more than half/],
  ['though it is alone', { total: 0, namespace: 0 }, 51, /would use more than half/],
  ['the whole quota is for all of them', { total: 90, namespace: 0 }, 10, undefined],
  ['and not a byte more for all', { total: 90, namespace: 0 }, 11, /quota of 100 bytes is used up/],
])('%s', (_title, used, bytes, problem) => {
  const found = quotaProblem(100, used, bytes);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});
