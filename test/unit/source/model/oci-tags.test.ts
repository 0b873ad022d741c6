import { expect, test } from '@jest/globals';
import { latestTag } from '#controllers/source/model/choose-version.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

const TAGS = ['latest', '1.0.0', 'v1.2.0', '1.10.0', '2.0.0-rc.1', '1.11', '3.0.0+build', 'sha256-abc.sig'];

test.each([
  ['the highest version, not the last text', '1.x', undefined, '1.10.0'],
  ['a leading v', '~1.2', undefined, 'v1.2.0'],
  ['no prerelease unless it is asked for', '>=1.0.0 <3.0.0', undefined, '1.10.0'],
  ['a prerelease', '>=2.0.0-0 <3.0.0', undefined, '2.0.0-rc.1'],
  ['build metadata', '>=3', undefined, '3.0.0+build'],
  ['only three numbers are a version', '>=1.11 <2', undefined, undefined],
  ['a pattern is found anywhere', '>=1.0.0-0', 'rc', '2.0.0-rc.1'],
  ['an anchored pattern', '*', '^v', 'v1.2.0'],
  ['an empty pattern is none', '1.x', '', '1.10.0'],
  ['a pattern that finds nothing', '*', 'absent', undefined],
])('%s', (_title, range, filter, tag) => {
  const answer = latestTag({ tags: TAGS, range, field: 'spec.ref.semver', filter });
  expect('tag' in answer ? answer.tag : undefined).toBe(tag);
});

test('tags of charts are versions with `_` for `+`', () => {
  const query = { tags: ['1.0.0_a', '0.9.0'], range: '*', field: 'spec.version', areCharts: true };
  expect(latestTag(query)).toEqual({ tag: '1.0.0_a' });
  expect(latestTag({ ...query, areCharts: false })).toEqual({ tag: '0.9.0' });
});

test.each([
  ['(', '"(" is not a regular expression'],
  ['a'.repeat(5_000), 'a pattern has more than 4096 characters'],
  [
    '[a-z]{1000}'.repeat(6),
    `the pattern "${'[a-z]{1000}'.repeat(6)}" has more than 5000 parts, each counted as often as it is repeated`,
  ],
])('a pattern that is none is reported', (filter, problem) => {
  expect(latestTag({ tags: TAGS, range: '*', field: 'spec.ref.semver', filter })).toEqual({
    problem: `spec.ref.semverFilter: ${problem}: correct it`,
  });
});

test('a pattern that would take for ever elsewhere takes no time', () => {
  const tags = ['1.0.0-' + 'a'.repeat(120) + 'b'];
  const query = { tags, range: '*', field: 'spec.ref.semver', filter: '^(a+)+$' } as const;
  expect(cpuMsOf(() => latestTag(query))).toBeLessThan(1_000);
});

test.each([
  [['1.0.0', '1.10.0', '1.9.0_b', 'latest'], true, 'the tags are 1.10.0, 1.9.0_b, 1.0.0'],
  [['1.10.0_b'], false, 'no tag is a version'],
  [Array.from({ length: 12 }, (_, index) => `1.0.${index}`), false, 'the tags are 1.0.11, 1.0.10, 1.0.9,'],
])('a range that matches none of %j is told with the highest of them', (tags, areCharts, offer) => {
  expect(latestTag({ tags, range: '>=2', field: 'spec.ref.semver', areCharts })).toEqual({
    problem: expect.stringContaining(`no tag matches spec.ref.semver ">=2": ${offer}`),
  });
});
