import { expect, test } from '@jest/globals';
import { PAGES } from '#console/server/model/pages.js';

const OTHERS = /^\/(api|kapis|assets|session|openapi\.json)(\/|$)/;

test.each(Object.values(PAGES))('%s is the path of one page, and nothing else is there', (path) => {
  expect(path).toMatch(/^\/([a-z]+|:[a-z]+)?(\/([a-z]+|:[a-z]+))*$/i);
  expect(path).not.toMatch(OTHERS);
  expect(Object.values(PAGES).filter((each) => each === path)).toHaveLength(1);
});
