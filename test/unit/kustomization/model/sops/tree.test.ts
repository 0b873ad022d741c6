import { expect, test } from '@jest/globals';
import { printJsonTree, printYamlTrees, readTrees } from '#controllers/kustomization/model/sops/tree.js';
import { parseYamlDocuments } from '#lib/yaml/yaml.js';

test.each([
  'a: "1"\nb: 1\nc: [x, {d: null}]\n',
  'a: |\n  two\n  lines\n"true": ~\n',
  '{\n\t"a": {"b": [1, "\\u00e9\\/", true]}\n}',
  'a: 1\n---\n---\nb: 2\n',
])('%j is read and printed as it was', (text) => {
  const documents = parseYamlDocuments(text).filter((document) => document !== null);
  const trees = readTrees(text);
  expect(parseYamlDocuments(printYamlTrees(trees))).toEqual(documents);
  expect(trees.map((tree) => parseYamlDocuments(printJsonTree(tree).replace('~', 'null'))[0])).toEqual(documents);
});

test.each([
  ['a: [', 'is not valid: line 1'],
  ['a: &x 1\nb: *x', 'has an alias'],
  ['- a', 'is not a map'],
  ['a: {b: 1, c: 2, "b": 3}', 'has a key twice in one map'],
  [`a: ${'['.repeat(100)}${']'.repeat(100)}`, 'is nested more than 64 deep'],
])('%j is refused', (text, problem) => {
  expect(() => readTrees(text)).toThrow(problem);
});

// If each key is compared with each other one, this takes more than the 20 s of a task.
test('a file of 60,000 keys is read before its deadline', () => {
  const text = Array.from({ length: 60_000 }, (_, index) => `k${index}: x\n`).join('');
  expect(readTrees(text)[0]?.entries).toHaveLength(60_000);
}, 20_000);
