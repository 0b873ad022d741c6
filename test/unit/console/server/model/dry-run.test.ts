import { expect, test } from '@jest/globals';
import { isDryRun } from '#console/server/model/dry-run.js';

test('only All is a dry run, and nothing else is ignored', () => {
  expect([isDryRun({}), isDryRun({ dryRun: 'All' }), isDryRun({ dryRun: ['All', 'All'] })]).toEqual([
    false,
    true,
    true,
  ]);
  for (const dryRun of ['', 'true', 'all', ['All', 'x']])
    expect(() => isDryRun({ dryRun })).toThrow(/only All is known/);
});
