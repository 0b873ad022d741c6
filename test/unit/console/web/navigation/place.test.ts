import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PAGES, type PageName } from '#console/shared/pages.js';
import { applicationPath, pathTo, placeOf } from '#console/web/navigation/model/place.js';

const WEB = { namespace: 'shop', name: 'web' };
const NOWHERE = { page: 'nowhere', params: {} };

test.each([
  ['/', { page: 'overview', params: {} }],
  ['/applications/shop/web', { page: 'application', params: WEB }],
  ['/applications/shop/web/history', { page: 'applicationView', params: { ...WEB, view: 'history' } }],
  ['/applications/shop', NOWHERE],
  ['/applications//web', NOWHERE],
  ['/applications/shop/web/history/more', NOWHERE],
  ['/applications/%E0%A4%A/web', NOWHERE],
  ['/%61pplications/shop/web', { page: 'application', params: WEB }],
  ['/other', NOWHERE],
])('%s is a place', (path, place) => {
  expect(placeOf(path)).toEqual(place);
});

test('every page has a path for whatever it is of', () => {
  const text = fc.string({ minLength: 1, unit: 'grapheme-ascii' });
  const pages = Object.entries(PAGES).filter(([, path]) => path.includes(':'));
  fc.assert(
    fc.property(fc.constantFrom(...pages), fc.infiniteStream(text), ([page, path], texts) => {
      const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
      const params = Object.fromEntries(names.map((name) => [name, texts.next().value as string]));
      const place = placeOf(pathTo(page as PageName, params));
      // What is fixed in one path may be what another one has a name for; the first of the table counts.
      expect(Object.values(place.params).every((value) => Object.values(params).includes(value))).toBe(true);
      expect(place.page === page || Object.keys(PAGES).indexOf(place.page) < Object.keys(PAGES).indexOf(page)).toBe(
        true,
      );
    }),
  );
});

test('names become parts of a path', () => {
  expect(applicationPath({ namespace: 'a/b', name: '<c>' })).toBe('/applications/a%2Fb/%3Cc%3E');
});
