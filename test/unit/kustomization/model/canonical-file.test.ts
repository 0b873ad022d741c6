import { expect, test } from '@jest/globals';
import { CanonicalFile, textOf } from '#controllers/kustomization/model/canonical-file.js';
import { treeOf } from './builders.js';

const TREE = treeOf({ 'app/kustomization.yaml': '', 'base/kustomization.yaml': '', 'base/a.yaml': 'kind: A' });

test('folders that a file builds on are told, and written so that they can only be these', () => {
  const file = new CanonicalFile(TREE, 'app');
  expect(file.canonical({ resources: ['../base/../base', '../base/a.yaml'], namePrefix: 'x' })).toEqual({
    resources: ['../base', '../base/a.yaml'],
    namePrefix: 'x',
  });
  expect(file.bases).toEqual(['base']);
});

test('nulls are empty lists', () => {
  expect(new CanonicalFile(TREE, 'app').canonical({ resources: null, openapi: null })).toEqual({
    resources: [],
    openapi: null,
  });
});

test('charts that are none are left out', () => {
  const file = { helmCharts: [], helmGlobals: null, namePrefix: 'x' };
  expect(new CanonicalFile(TREE, 'app').canonical(file)).toEqual({ namePrefix: 'x' });
});

test('a file that is too long is not read', () => {
  expect(textOf(TREE, 'base/a.yaml')).toBe('kind: A');
  expect(() => textOf(treeOf({ a: 'x'.repeat(2 ** 20 + 1) }), 'a')).toThrow('has more than 1048576 bytes');
});
