import { expect, test } from '@jest/globals';
import { refuseOtherKeys } from '#console/shared/list-query.js';

test('keys that are known pass, as often as they are said', () => {
  expect(() => refuseOtherKeys({ cluster: ['eu', 'us'], dryRun: 'All' }, ['dryRun', 'cluster'])).not.toThrow();
  expect(() => refuseOtherKeys({}, [])).not.toThrow();
});

test.each([
  [{ dryrun: 'All' }, ['dryRun', 'uid'], '"dryrun" is no key of this query; choose from dryRun, uid'],
  [{ '\n': '' }, [], String.raw`"\n" is no key of this query; it has none`],
  [{ constructor: '' }, ['uid'], '"constructor" is no key of this query; choose from uid'],
])('another one is refused, with those that there are', (query, known, message) => {
  expect(() => refuseOtherKeys(query as Readonly<Record<string, string>>, known)).toThrow(message);
});
