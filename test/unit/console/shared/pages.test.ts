import { expect, test } from '@jest/globals';
import { isMissingPage, OTHER_PATHS, PAGES } from '#console/shared/pages.js';

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test.each(Object.values(PAGES))('%s is the path of one page, and nothing else is there', (path) => {
  expect(path).toMatch(/^\/([a-z]+|:[a-z]+)?(\/([a-z]+|:[a-z]+))*$/i);
  expect(OTHER_PATHS).not.toContain(path.split('/')[1]);
  expect(Object.values(PAGES).filter((each) => each === path)).toHaveLength(1);
});

test.each(['/nowhere', '/no/where', '/clusters/', '/applications/shop', '/a.b', '/apis'])(
  'a browser that asks for %s gets a page, and a program does not',
  (path) => {
    expect(isMissingPage(path, HTML)).toBe(true);
    expect(isMissingPage(path, 'application/json, TEXT/HTML')).toBe(true);
    for (const accepted of [undefined, '', '*/*', 'text/*', 'application/json', 'text/html5', 'x/text/html']) {
      expect(isMissingPage(path, accepted)).toBe(false);
    }
  },
);

test.each([
  ...OTHER_PATHS.flatMap((first) => [`/${first}`, `/${first}/`, `/${first}/x`, `/${first.toUpperCase()}/x`]),
  ...['/a/../api', '/./api', '//api', '/%61pi', '/api%2fv1', '/a;b', '/a\\b', '/a b', '/a//b', '', 'a', '/..', '/.git'],
  ...['/a\u0000', '/\u212Aapis', '*', 'http://other/nowhere', `/${'a'.repeat(1_100)}`],
])('%j is no path of a page', (path) => expect(isMissingPage(path, HTML)).toBe(false));
