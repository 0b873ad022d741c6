import { expect, test } from '@jest/globals';
import { dryRunIn, isDryRun } from '#console/shared/write-query.js';

test('only All is a dry run, and nothing else is ignored', () => {
  expect([isDryRun({}), isDryRun({ dryRun: 'All' }), isDryRun({ dryRun: ['All', 'All'] })]).toEqual([
    false,
    true,
    true,
  ]);
  for (const dryRun of ['', 'true', 'all', ['All', 'x']])
    expect(() => isDryRun({ dryRun })).toThrow(/only All is known/);
});

test('a key that is misspelt does not carry out what was only to be checked', () => {
  expect([dryRunIn({}), dryRunIn({ dryRun: 'All' })]).toEqual([false, true]);
  for (const key of ['dryrun', 'dry-run', '__proto__x']) {
    expect(() => dryRunIn({ [key]: 'All' })).toThrow(`"${key}" is no key of this query; choose from dryRun`);
  }
});
