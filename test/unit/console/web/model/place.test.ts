import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applicationPath, placeOf } from '#console/web/model/place.js';

test.each([
  ['/', { page: 'overview' }],
  ['/applications/shop/web', { page: 'application', namespace: 'shop', name: 'web' }],
  ['/applications/shop', { page: 'nowhere' }],
  ['/applications/shop/web/more', { page: 'nowhere' }],
  ['/applications/%E0%A4%A/web', { page: 'nowhere' }],
  ['/other', { page: 'nowhere' }],
])('%s is a place', (path, place) => {
  expect(placeOf(path)).toEqual(place);
});

test('every Application has a path of its own', () => {
  const text = fc.string({ minLength: 1, unit: 'grapheme-ascii' });
  fc.assert(
    fc.property(text, text, (namespace, name) => {
      expect(placeOf(applicationPath({ namespace, name }))).toEqual({ page: 'application', namespace, name });
    }),
  );
});
