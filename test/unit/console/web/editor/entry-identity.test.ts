import { expect, it, test } from '@jest/globals';
import { identityOf } from '#console/web/editor/model/three-way.js';

const EU = { destination: { kubeConfig: { secretRef: { name: 'eu' } }, targetNamespace: 'shop' } };

test.each<[string, unknown, unknown]>([
  ['values', { ...EU, values: { a: 1 } }, EU],
  ['the order of keys', { name: 'x', path: './a' }, { path: './a', name: 'x' }],
  ['what is null', { name: null, ...EU }, EU],
  ['the limits of a stage', { name: 'canary', maxConcurrent: 2 }, { name: 'canary' }],
])('is the same whatever says %s', (_, one, other) => {
  expect(identityOf(one)).toBe(identityOf(other));
});

test.each<[string, unknown, unknown]>([
  ['name', { ...EU, name: 'a' }, { ...EU, name: 'b' }],
  ['cluster', EU, { destination: { targetNamespace: 'shop' } }],
  ['folder', { ...EU, path: './a' }, { ...EU, path: './b' }],
  ['release', { ...EU, releaseName: 'a' }, { ...EU, releaseName: 'b' }],
])('is another one with another %s', (_, one, other) => {
  expect(identityOf(one)).not.toBe(identityOf(other));
});

it.each([['text'], [1], [null], [undefined], [[]], [{}], [{ values: { name: 'x' } }]])('has none of %j', (entry) => {
  expect(identityOf(entry)).toBeUndefined();
});
