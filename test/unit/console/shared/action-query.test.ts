import { expect, test } from '@jest/globals';
import { actionQueryIn } from '#console/shared/write-query.js';

test.each([
  [{}, { dryRun: false }],
  [{ dryRun: 'All' }, { dryRun: true }],
  [
    { dryRun: 'All', uid: 'a-b' },
    { dryRun: true, uid: 'a-b' },
  ],
])('%o is read', (query, asked) => {
  expect(actionQueryIn(query)).toEqual(asked);
});

test.each([
  [{ dryrun: 'All' }, /"dryrun" is no key of this query; choose from dryRun, uid/],
  [{ dryRun: 'true' }, /only All is known/],
  [{ uid: '' }, /uid: it must be that of the Application/],
  [{ uid: ['a', 'b'] }, /uid: it must be/],
])('%o is refused', (query, problem) => {
  expect(() => actionQueryIn(query)).toThrow(problem);
});
