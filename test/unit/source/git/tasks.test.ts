import { expect, test } from '@jest/globals';
import { resolveAside, offerAside, type Aside } from '#controllers/source/git/tasks.js';
import type { GitTarget } from '#controllers/source/git/model/reference.js';
import { OverrunError, type Task } from '#runtime/isolation/offload.js';

const ID = '0'.repeat(40);
const ANY: GitTarget = { kind: 'semver', range: '>=1.0.0' };

/** What `git ls-remote` prints of `count` tags. */
function tags(count: number): string {
  return Array.from({ length: count }, (_, index) => `${ID}\trefs/tags/v1.0.${index}\n`).join('');
}

function aside(run: Aside['offload']['run'] = async (task, input) => task.run(input)): Aside & { handed: string[] } {
  const handed: string[] = [];
  const record = (task: Task, input: string, tenant: string): Promise<string> => {
    handed.push(`${task.name} of ${tenant}`);
    return run(task, input, tenant);
  };
  return { offload: { run: record }, tenant: 'shop', handed };
}

test.each([
  ['short', 3, []],
  ['long', 2_000, ['resolveTask of shop', 'offerTask of shop']],
])('a %s listing is read where it delays nobody', async (_title, count, handed) => {
  const where = aside();
  const found = await resolveAside(where, { target: ANY, output: tags(count) });
  expect(found).toEqual([{ ref: `refs/tags/v1.0.${count - 1}`, object: ID, commit: ID }]);
  expect(await offerAside(where, tags(count))).toMatch(/^branches and tags are v1\.0\.0, v1\.0\.1/);
  expect(where.handed).toEqual(handed);
});

test.each([
  ['is longer than 8 MiB', aside(), 'x'.repeat(8 * 1024 * 1024)],
  ['takes longer than 10 s', aside(() => Promise.reject(new OverrunError('takes longer than 10 s'))), tags(2_000)],
])('a listing that %s is refused', async (problem, where, output) => {
  const error = { reason: 'RepositoryTooLarge', message: `the list of references ${problem}: remove some of them` };
  await expect(resolveAside(where, { target: ANY, output })).rejects.toMatchObject(error);
});
