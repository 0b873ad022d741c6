import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { templateQueryOf as queryOfServer } from '#console/shared/template-item.js';
import {
  ALL_TEMPLATES,
  TEMPLATE_SORTS,
  templateQueryOf,
  templateSearchOf,
  templatesPath,
} from '#console/web/templates/model/template-query.js';

test.each([
  ['', ALL_TEMPLATES],
  ['?search=web&kind=HelmTemplate', { ...ALL_TEMPLATES, search: 'web', kind: 'HelmTemplate' }],
  ['?state=Stalled&sort=-usedBy&page=3', { ...ALL_TEMPLATES, state: 'Stalled', sort: '-usedBy', page: 3 }],
  ['?state=a%3Db,c&sort=size&page=0&other=1', ALL_TEMPLATES],
  ['?page=-1', ALL_TEMPLATES],
])('%s asks for templates', (search, query) => {
  expect(templateQueryOf(search)).toEqual(query);
});

const queries = fc.record({
  search: fc.string({ maxLength: 50 }),
  kind: fc.constantFrom('', 'HelmTemplate', 'KustomizationTemplate'),
  state: fc.constantFrom('', 'Ready', 'Stalled'),
  sort: fc.constantFrom(...TEMPLATE_SORTS.map(([key]) => key)),
  page: fc.integer({ min: 1, max: 999_999 }),
});

test('a URL keeps what was asked for', () => {
  fc.assert(fc.property(queries, (query) => expect(templateQueryOf(templateSearchOf(query))).toEqual(query)));
});

test('the server understands whatever a page asks for', () => {
  fc.assert(
    fc.property(queries, (query) => {
      const asked = new URL(templatesPath(query), 'http://127.0.0.1').searchParams;
      const { page, limit } = queryOfServer(Object.fromEntries(asked));
      expect({ page, limit }).toEqual({ page: query.page, limit: 50 });
    }),
  );
});
