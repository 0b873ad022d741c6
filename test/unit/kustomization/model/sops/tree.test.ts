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
  [`a: ${'['.repeat(100)}${']'.repeat(100)}`, 'is nested more than 64 deep'],
])('%j is refused', (text, problem) => {
  expect(() => readTrees(text)).toThrow(problem);
});
