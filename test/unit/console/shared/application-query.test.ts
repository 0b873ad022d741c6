import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Application } from '#api/v1alpha1/application.js';
import { applicationQueryOf, cachedView, sortedBy } from '#console/shared/application-query.js';
import type { QueryString } from '#console/shared/list-query.js';
import { selectFrom } from '#console/shared/page-query.js';
import { application, RUNNING, STALLED } from '../../../support/application.js';

const APPLICATIONS = [
  application('b', RUNNING, '{ creationTimestamp: "2026-01-01T00:00:00Z", labels: { team: x } }'),
  application('a', STALLED, '{ creationTimestamp: "2026-01-02T00:00:00Z" }'),
  application('a', '{}', '{ creationTimestamp: "2026-01-03T00:00:00Z", namespace: blog }'),
];

function found(query: QueryString, applications: readonly Application[] = APPLICATIONS): string {
  const parsed = applicationQueryOf(query);
  const { items, total } = selectFrom(sortedBy(applications, parsed.sort), parsed);
  return `${items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(' ')} of ${total}`;
}

test.each<[string, QueryString, string]>([
  ['has all by name, then by namespace', {}, 'blog/a shop/a shop/b of 3'],
  ['may descend', { sort: '-name' }, 'shop/b shop/a blog/a of 3'],
  ['may be sorted by namespace', { sort: 'namespace' }, 'blog/a shop/a shop/b of 3'],
  ['may be sorted by state', { sort: 'state' }, 'blog/a shop/b shop/a of 3'],
  ['may be sorted by time', { sort: 'createdAt' }, 'shop/b shop/a blog/a of 3'],
  ['has pages', { limit: '2', page: '2' }, 'shop/b of 3'],
  ['has pages that descend', { limit: '2', page: '2', sort: '-name' }, 'blog/a of 3'],
  ['is empty past the end', { limit: '2', page: '9', sort: '-name' }, ' of 3'],
  ['has parts of names', { search: 'b' }, 'shop/b of 1'],
  ['has labels', { labelSelector: 'team in (x, y)' }, 'shop/b of 1'],
  ['has a state', { fieldSelector: 'state=Stalled' }, 'shop/a of 1'],
  ['has all but a state', { fieldSelector: 'state!=Stalled,metadata.namespace==shop' }, 'shop/b of 1'],
  ['has a cluster', { fieldSelector: 'cluster=prod' }, 'shop/b of 1'],
  ['has all that are not on a cluster', { fieldSelector: 'cluster!=prod' }, 'blog/a shop/a of 2'],
])('a list %s', (_, query, expected) => {
  expect(found(query)).toBe(expected);
});

test.each<[string, QueryString, RegExp]>([
  ['a key that does not exist', { healthStatus: 'x' }, /"healthStatus" is no key of this query; choose from page/],
  ['a key that came twice', { page: ['1', '2'] }, /^page: it was sent 2 times/],
  ['a page before the first', { page: '0' }, /^page: it must be a whole number from 1 to 1000000/],
  ['no limit', { limit: '-1' }, /^limit: it must be a whole number from 1 to 500/],
  ['another order', { sort: 'spec' }, /^sort: choose from name, namespace, state, createdAt/],
  ['an order of all objects', { sort: 'toString' }, /^sort: choose from/],
  ['a selector that nobody can read', { labelSelector: 'a in (' }, /^labelSelector: /],
  ['another field', { fieldSelector: 'spec.kind=x' }, /^fieldSelector: "spec.kind" is no field of it; choose from/],
  ['no requirement', { fieldSelector: 'state' }, /^fieldSelector: write FIELD=VALUE/],
  ['hundreds of requirements', { fieldSelector: 'cluster!=x,'.repeat(300) }, /^fieldSelector: it has more than 20 req/],
  ['a long text', { search: 'a'.repeat(5_000) }, /^search: it has more than 4096 characters/],
])('refuses %s', (_, query, problem) => {
  expect(() => applicationQueryOf(query)).toThrow(problem);
});

describe('pages', () => {
  test('together have everything once, in both directions', () => {
    const sort = fc.constantFrom('name', '-name', 'state', '-createdAt');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), sort, (limit, order) => {
        const all = [1, 2, 3, 4].flatMap((page) => {
          const query = applicationQueryOf({ limit: String(limit), page: String(page), sort: order });
          return selectFrom(sortedBy(APPLICATIONS, query.sort), query).items;
        });
        expect(all).toHaveLength(3);
        expect(new Set(all).size).toBe(3);
      }),
    );
  });

  test('leave what they are selected from as it is', () => {
    const sorted = Object.freeze([...APPLICATIONS]);
    expect(() => selectFrom(sorted, applicationQueryOf({ sort: '-name' }))).not.toThrow();
    expect(() => sortedBy(sorted, 'state')).not.toThrow();
  });
});

test('a view is derived once', () => {
  const [one] = APPLICATIONS as [Application];
  expect(cachedView(one)).toBe(cachedView(one));
});
