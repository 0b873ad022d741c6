import { expect, test } from '@jest/globals';
import { run } from '#engine/process/run.js';
import { programProblem, PROGRAMS } from '#manager/programs.js';

const git = PROGRAMS.find(({ key }) => key === 'gitPath');

test.each<[string, boolean]>([
  ['git version 2.31.0', true],
  ['git version 2.39.5', true],
  ['git version 2.39.3 (Apple Git-146)', true],
  ['git version 2.50.1.windows.1', true],
  ['git version 2.100.0', true],
  ['git version 3.0.0', true],
  ['git version 2.30.9', false],
  ['git version 2.4.0', false],
  ['git version 1.9.1', false],
  ['hello', false],
])('%s is new enough: %s', (version, expected) => expect(git?.version.test(version)).toBe(expected));

test('the git of this machine is used', async () => {
  expect(git && (await programProblem(git, 'git', run))).toBeUndefined();
});
