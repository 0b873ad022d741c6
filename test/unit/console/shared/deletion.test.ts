import { expect, test } from '@jest/globals';
import { deletionIn } from '#console/shared/write-query.js';
import type { QueryString } from '#console/shared/list-query.js';

test('a deletion is what was asked for', () => {
  expect(deletionIn({})).toEqual({ dryRun: false });
  const query = { propagationPolicy: 'Orphan', resourceVersion: '7', dryRun: 'All' };
  expect(deletionIn(query)).toEqual({ propagationPolicy: 'Orphan', resourceVersion: '7', dryRun: true });
});

test.each<[QueryString, RegExp]>([
  [{ cascade: 'false' }, /"cascade" is no key/],
  [{ propagationPolicy: 'orphan' }, /choose from Background, Foreground, Orphan/],
  [{ propagationPolicy: ['Orphan', 'Background'] }, /choose from/],
  [{ resourceVersion: ['1', '2'] }, /resourceVersion: it must be/],
])('%o is refused', (query, problem) => {
  expect(() => deletionIn(query)).toThrow(problem);
});
