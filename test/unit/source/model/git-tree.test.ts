import { expect, test } from '@jest/globals';
import { parseTree, treeProblem } from '#controllers/source/git/model/tree.js';

const ID = 'a'.repeat(40);

test('files, links and submodules of a commit', () => {
  const output = [
    `100644 blob ${ID}      12\tdeploy/a file\n.yaml`,
    `120000 blob ${ID}       3\tlink`,
    `160000 commit ${ID}       -\tlib`,
    '',
  ].join('\0');
  expect(parseTree(output)).toEqual([
    { mode: '100644', id: ID, size: 12, path: 'deploy/a file\n.yaml' },
    { mode: '120000', id: ID, size: 3, path: 'link' },
    { mode: '160000', id: ID, size: 0, path: 'lib' },
  ]);
});

test.each([
  ['a small one', [10, 20], undefined],
  ['too many files', Array.from({ length: 100_001 }, () => 0), 'has more than 100000 files'],
  ['too many bytes', [1024 ** 3, 1024 ** 3, 1], 'has files of more than 2 GiB'],
])('a tree with %s', (_title, sizes, problem) => {
  expect(treeProblem(sizes.map((size) => ({ mode: '100644', id: ID, path: 'f', size })))).toBe(problem);
});
