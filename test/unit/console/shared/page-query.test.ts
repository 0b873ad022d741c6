import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { QueryString } from '#console/shared/list-query.js';
import { pageFrom, pageQueryOf, sortedBy, type Listing } from '#console/shared/page-query.js';

interface Item {
  readonly name: string;
  readonly kind: string;
  readonly size: number;
}

const LISTING: Listing<Item> = {
  fields: { kind: ({ kind }) => [kind, kind.toLowerCase()] },
  sorts: {
    name: ({ name }) => name,
    kind: ({ kind }) => kind,
    size: ({ size }) => String(size),
  },
  labels: ({ size }) => ({ size: String(size) }),
  texts: ({ name, kind }) => [name, kind],
};
const ITEMS: readonly Item[] = [
  { name: 'web', kind: 'Folder', size: 2 },
  { name: 'web', kind: 'Chart', size: 1 },
  { name: 'api', kind: 'Chart', size: 2 },
];

function found(query: QueryString): string {
  const parsed = pageQueryOf(query, LISTING);
  const { items, total, page, limit } = pageFrom(sortedBy(ITEMS, parsed.sort, LISTING), parsed, (item) => item);
  return `${items.map(({ name, kind }) => `${kind}/${name}`).join(' ')} of ${total} (${page}, ${limit})`;
}

test.each<[string, QueryString, string]>([
  ['has all by name, and two of one name by kind', {}, 'Chart/api Chart/web Folder/web of 3 (1, 100)'],
  ['has what another key says first', { sort: '-size' }, 'Folder/web Chart/api Chart/web of 3 (1, 100)'],
  ['searches all texts', { search: 'Char' }, 'Chart/api Chart/web of 2 (1, 100)'],
  ['knows several values of a field', { fieldSelector: 'kind=folder,kind=Folder' }, 'Folder/web of 1 (1, 100)'],
  ['has labels', { labelSelector: 'size=1' }, 'Chart/web of 1 (1, 100)'],
  ['is empty past the end, and says how many there are', { page: '7', limit: '2' }, ' of 3 (7, 2)'],
])('a list %s', (_, query, expected) => {
  expect(found(query)).toBe(expected);
});

test.each<[QueryString, RegExp]>([
  [{ chart: 'x' }, /^"chart" is no key of this query; choose from page, limit, sort/],
  [{ fieldSelector: 'constructor=x' }, /^fieldSelector: "constructor" is no field of it; choose from kind$/],
  [{ sort: '__proto__' }, /^sort: choose from name, kind, size, with a leading - to descend$/],
  [{ limit: '501' }, /^limit: it must be a whole number from 1 to 500$/],
])('%j is refused, with what there is', (query, problem) => {
  expect(() => pageQueryOf(query, LISTING)).toThrow(problem);
});

test('the pages of any list, in any order, have each item once', () => {
  const item = fc.record({ name: fc.constantFrom('a', 'b'), kind: fc.constantFrom('a', 'b'), size: fc.nat(2) });
  const sort = fc.constantFrom('name', '-kind', 'size', '-size');
  fc.assert(
    fc.property(fc.array(item), fc.integer({ min: 1, max: 3 }), sort, (items, limit, order) => {
      const pages = Array.from({ length: Math.ceil(items.length / limit) }, (_, index) => {
        const query = pageQueryOf({ limit: String(limit), page: String(index + 1), sort: order }, LISTING);
        return pageFrom(sortedBy(items, query.sort, LISTING), query, (each) => each).items;
      });
      expect(new Set(pages.flat())).toEqual(new Set(items));
      expect(pages.flat()).toHaveLength(items.length);
    }),
  );
});
