import { expect, test } from '@jest/globals';
import { configDigest, printGoYaml } from '#controllers/helmrelease/model/digest.js';
import { differences, useOracle, type Answer } from './oracle.js';
import { anyTree, type Tree } from './trees.js';

const ask = useOracle('digest');

test('values have the digest that Flux gives them', async () => {
  const theirs = (answer: Answer): unknown => answer;
  const ours = (tree: Tree): unknown => ({
    digest: configDigest(tree),
    text: Object.keys(tree).length === 0 ? '' : printGoYaml(tree),
  });
  expect(await differences({ ask, cases: anyTree, theirs, ours })).toEqual([]);
});
