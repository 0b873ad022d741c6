import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ALL, overviewQueryOf, searchOf } from '#console/web/overview/model/overview-query.js';
import { clusterName } from '#console/web/parts/model/destinations.js';

describe('the URL of a query', () => {
  test.each([
    ['nothing', '', ALL],
    ['a text', '?search=a+%26b', { ...ALL, search: 'a &b' }],
    ['two states', '?state=Failed%2CStalled', { ...ALL, states: ['Failed', 'Stalled'] }],
    ['a cluster and an order by it', '?cluster=eu&sort=cluster%3Aeu', { ...ALL, cluster: 'eu', sort: 'cluster:eu' }],
    ['a namespace, by name', '?namespace=shop&sort=name', { ...ALL, namespace: 'shop', sort: 'name' }],
    ['two columns', '?columns=us%2Ceu', { ...ALL, columns: ['us', 'eu'] }],
  ])('asks for %s', (_, search, query) => {
    expect(overviewQueryOf(search)).toEqual(query);
    expect(searchOf(query)).toBe(search);
  });

  test.each([
    ['an order that does not exist', '?sort=__proto__', ALL],
    ['a key that does not exist', '?colour=red', ALL],
    ['a column twice', '?columns=eu,,us,eu', { ...ALL, columns: ['eu', 'us'] }],
    ['empty states', '?state=,,', ALL],
    ['an escape that ends in the middle', '?search=%E0%A4%A', { ...ALL, search: '\uFFFD%A' }],
    ['a text that is no name', `?search=${'a'.repeat(600)}`, { ...ALL, search: 'a'.repeat(512) }],
  ])('may have %s', (_, search, query) => {
    expect(overviewQueryOf(search)).toEqual(query);
  });

  test('says all of a query', () => {
    const text = fc.string({ maxLength: 40, unit: 'grapheme' });
    const states = fc.array(fc.constantFrom('Failed', 'Ready', 'Stalled'));
    const sort = fc.oneof(fc.constantFrom('worst', 'name', 'namespace'), fc.constant('cluster:eu & us'));
    const columns = fc.uniqueArray(fc.constantFrom('eu', 'shop/us', 'ap & co'));
    fc.assert(
      fc.property(fc.record({ search: text, states, namespace: text, cluster: text, sort, columns }), (query) => {
        expect(overviewQueryOf(searchOf(query))).toEqual(query);
      }),
    );
  });
});

test('a cluster without a name is unknown', () => {
  expect([clusterName(''), clusterName('eu')]).toEqual(['unknown', 'eu']);
});
