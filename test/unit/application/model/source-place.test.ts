import { expect, it } from '@jest/globals';
import { placesIn, sourceText } from '#controllers/application/model/spec/flux-spec.js';

it('tells sources apart by kind, namespace and name', () => {
  expect(sourceText({ kind: 'GitRepository', namespace: 'shop', name: 'fleet' })).toBe('GitRepository/shop/fleet');
});

it('is read from a reference, by default in its own namespace', () => {
  const own = { kind: 'GitRepository', name: 'fleet' };
  expect(placesIn(own, 'shop')).toEqual([{ ...own, namespace: 'shop' }]);
  expect(placesIn({ ...own, namespace: '' }, 'shop')).toEqual([{ ...own, namespace: 'shop' }]);
  expect(placesIn({ ...own, namespace: 'base' }, 'shop')).toEqual([{ ...own, namespace: 'base' }]);
  expect([undefined, null, 'x', { kind: 1, name: 'x' }, { kind: 'x' }].flatMap((each) => placesIn(each))).toEqual([]);
});
