import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { treePage, treeQueryOf, treeSearchOf } from '#console/web/application/model/tree.js';

const text = fc.string({ maxLength: 100, unit: 'grapheme' });

it('is in the URL as it was asked for', () => {
  fc.assert(
    fc.property(text, text, fc.string({ minLength: 1, maxLength: 50 }), (cluster, on, object) => {
      expect(treeQueryOf(treeSearchOf({ cluster, object, on }))).toEqual({ cluster, object, on });
    }),
  );
});

it.each([
  ['', { cluster: '', object: '', on: '' }],
  ['?cluster=eu&what=ever', { cluster: 'eu', object: '', on: '' }],
  ['?object=%', { cluster: '', object: '%', on: '' }],
])('reads %j', (search, expected) => {
  expect(treeQueryOf(search)).toEqual(expected);
});

it('asks for nothing without an object', () => {
  expect(treeSearchOf({ cluster: '', object: '', on: 'eu' })).toBe('');
});

it('has a page for each cluster', () => {
  expect(treePage({ namespace: 'shop', name: 'web' }, 'eu')).toBe('/applications/shop/web/tree?cluster=eu');
  expect(treePage({ namespace: 'shop', name: 'web' }, '')).toBe('/applications/shop/web/tree');
});
