import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HEALTH_LABEL, SYNC_LABEL } from '#api/v1alpha1/labels.js';
import { answerList, listQueryOf, type QueryString } from '#console/shared/list-query.js';
import { application } from '../../../support/application.js';

const APPLICATIONS = [
  application(
    'a',
    '{}',
    `{ creationTimestamp: "2026-01-02T00:00:00Z", uid: "1", labels: { ${HEALTH_LABEL}: Healthy, team: x } }`,
  ),
  application(
    'b',
    '{}',
    `{ creationTimestamp: "2026-01-01T00:00:00Z", annotations: { kubesphere.io/alias-name: My shop, a: b } }`,
  ),
  application('c', '{}', `{ creationTimestamp: "2026-01-01T00:00:00Z", ownerReferences: [{ uid: "9", kind: Plan }] }`),
  application('web-d', '{}', `{ creationTimestamp: "2026-01-03T00:00:00Z", labels: { ${SYNC_LABEL}: Synced } }`),
];

function names(query: QueryString): string {
  const { items, totalItems } = answerList(APPLICATIONS, listQueryOf(query));
  return `${items.map(({ metadata }) => metadata.name).join(' ')} of ${totalItems}`;
}

describe('a list', () => {
  test.each<[string, QueryString, string]>([
    ['has everything, newest first, ties by name', {}, 'web-d a c b of 4'],
    ['may be ascending', { ascending: 'true' }, 'b c a web-d of 4'],
    ['knows the words of Go for true', { ascending: 'T' }, 'b c a web-d of 4'],
    ['takes other words for false', { ascending: 'yes' }, 'web-d a c b of 4'],
    ['may be sorted by name', { sortBy: 'name', ascending: 'true' }, 'a b c web-d of 4'],
    ['sorts by creation when asked for a field that nobody knows', { sortBy: 'updateTime' }, 'web-d a c b of 4'],
    ['has all with limit -1, whatever the page', { limit: '-1', page: '7' }, 'web-d a c b of 4'],
    ['has pages', { limit: '3', page: '2' }, 'b of 4'],
    ['begins with page 1', { limit: '2' }, 'web-d a of 4'],
    ['takes a page that is no number for the first one', { limit: '2', page: 'x' }, 'web-d a of 4'],
    ['takes a limit that is no number for none', { limit: '1e1' }, 'web-d a c b of 4'],
    ['has nothing on page 0, and still counts', { limit: '2', page: '0' }, ' of 4'],
    ['has nothing past the end', { limit: '2', page: '99999999999999' }, ' of 4'],
    ['has nothing with limit 0', { limit: '0' }, ' of 4'],
    ['has nothing with another negative limit', { limit: '-2' }, ' of 4'],
    ['finds a part of a name', { name: 'eb-' }, 'web-d of 1'],
    ['finds a part of an alias', { name: 'shop' }, 'b of 1'],
    ['finds all with an empty name', { name: '' }, 'web-d a c b of 4'],
    ['finds exact names', { names: 'a,c,we' }, 'a c of 2'],
    ['finds a uid', { uid: '1' }, 'a of 1'],
    ['finds owners', { ownerReference: '9', ownerKind: 'Plan' }, 'c of 1'],
    ['finds a health', { healthStatus: 'Healthy' }, 'a of 1'],
    ['finds nothing of an unknown health', { healthStatus: '<script>' }, ' of 0'],
    ['finds a sync status', { syncStatus: 'Synced' }, 'web-d of 1'],
    ['finds all with an empty status', { syncStatus: '', healthStatus: '' }, 'web-d a c b of 4'],
    ['selects by labels', { labelSelector: 'team in (x,y)' }, 'a of 1'],
    ['selects by the older names of it', { label: 'team=x' }, 'a of 1'],
    ['selects by annotations', { annotation: 'a=b' }, 'b of 1'],
    ['finds nothing by a label filter that cannot be read', { label: '=' }, ' of 0'],
    ['ignores what it does not know', { foo: 'bar', __proto__x: ['1', '2'] }, 'web-d a c b of 4'],
    ['takes the last of several filters', { name: ['a', 'web'] }, 'web-d of 1'],
    ['takes the first of several limits', { limit: ['1', '2'] }, 'web-d of 4'],
    ['combines filters', { name: 'a', healthStatus: 'Degraded' }, ' of 0'],
  ])('%s', (_, query, expected) => expect(names(query)).toBe(expected));

  test('says which selector it cannot read', () => {
    expect(() => listQueryOf({ labelSelector: '=' })).toThrow('labelSelector: "=" cannot be read');
  });

  test('refuses a filter that would cost too much of each item', () => {
    const names = 'a,'.repeat(2_049);
    expect(() => listQueryOf({ names })).toThrow(
      expect.objectContaining({ code: 400, message: 'names: it has more than 4096 characters' }),
    );
    expect(() => listQueryOf({ names: [names, 'a'], other: names })).not.toThrow();
  });

  test('has each item on exactly one page', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.boolean(), fc.constantFrom('name', 'x'), (limit, up, sortBy) => {
        const query = { limit: String(limit), ascending: String(up), sortBy };
        const pages = [1, 2, 3, 4, 5].flatMap(
          (page) => answerList(APPLICATIONS, listQueryOf({ ...query, page: String(page) })).items,
        );
        expect(pages).toEqual(answerList(APPLICATIONS, listQueryOf({ ...query, limit: '-1' })).items);
      }),
    );
  });
});
