import { describe, expect, it, test } from '@jest/globals';
import { clusterItems, clusterQueryOf, clustersBy } from '#console/shared/cluster-item.js';
import { pageFrom } from '#console/shared/page-query.js';
import type { ClusterView } from '#queries/answers/clusters.js';
import { application } from '../../../support/application.js';

function view(namespace: string, name: string, more: Partial<ClusterView> = {}): ClusterView {
  const known = { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', version: 'v1.33.1', state: 'Ready' } as const;
  return { ...known, namespace, name, message: '', labels: {}, usedBy: [], ...more };
}

function on(name: string, namespace: string, ...rows: readonly string[]) {
  const destinations = rows.map((row) => {
    const [cluster, state] = row.split(' ');
    return `{ name: x, cluster: ${cluster}, state: ${state} }`;
  });
  return application(name, `{ destinations: [${destinations.join(', ')}] }`, `{ namespace: ${namespace} }`);
}

const APPLICATIONS = [
  on('web', 'shop', 'eu Ready', 'eu Failed', 'fleet/eu Ready', 'host Ready', 'asia Progressing'),
  on('api', 'fleet', 'eu Ready', 'asia Ready'),
];

const texts = (views: readonly ClusterView[]): string[] =>
  clusterItems(views, APPLICATIONS).map(
    ({ kind, namespace, name, state, worst, applications, destinations, usedBy }) =>
      `${kind} ${namespace}/${name} ${state}: ${destinations} of ${applications} (${usedBy.join(' ')}) ${worst}`,
  );

describe('a cluster', () => {
  it('is found by its name in the namespace of an Application, or by its namespace and name', () => {
    expect(texts([view('shop', 'eu'), view('fleet', 'eu'), view('', 'asia'), view('', 'us')])).toEqual([
      'Cluster shop/eu Ready: 2 of 1 (shop/web) Failed',
      'Cluster fleet/eu Ready: 2 of 2 (fleet/api shop/web) Ready',
      'Cluster /asia Ready: 2 of 2 (fleet/api shop/web) Progressing',
      'Cluster /us Ready: 0 of 0 () ',
      ' /host Ready: 1 of 1 (shop/web) Ready',
    ]);
  });

  it('that no object describes is where its Application is', () => {
    expect(texts([view('', 'host')])).toEqual([
      'Cluster /host Ready: 1 of 1 (shop/web) Ready',
      ' shop/eu Unknown: 2 of 1 (shop/web) Failed',
      ' fleet/eu Unknown: 2 of 2 (fleet/api shop/web) Ready',
      ' shop/asia Unknown: 1 of 1 (shop/web) Progressing',
      ' fleet/asia Unknown: 1 of 1 (fleet/api) Ready',
    ]);
  });

  it('says which Applications are how there, by the name that they have for it, and what the worst says', () => {
    const failing = application(
      'cart',
      '{ destinations: [{ name: x, cluster: eu, state: Failed, message: first }, { name: y, cluster: eu, state: Ready }] }',
      '{ namespace: fleet }',
    );
    const [item] = clusterItems([view('fleet', 'eu')], [...APPLICATIONS, failing]);
    expect(item).toMatchObject({
      ...{ worst: 'Failed', why: 'first' },
      names: [
        {
          name: 'eu',
          states: [
            { state: 'Failed', applications: 1 },
            { state: 'Ready', applications: 1 },
          ],
        },
        { name: 'fleet/eu', states: [{ state: 'Ready', applications: 1 }] },
      ],
    });
  });

  it('names the first twenty of its users', () => {
    const many = Array.from({ length: 30 }, (_, index) => on(`a${10 + index}`, 'shop', 'eu Odd'));
    const [item] = clusterItems([view('shop', 'eu')], many);
    expect(item).toMatchObject({ applications: 30, moreUsedBy: 10, worst: 'Pending' });
    expect(item?.usedBy).toHaveLength(20);
  });
});

test.each([
  [{ sort: '-worst' }, 'us eu asia'],
  [{ sort: 'worst' }, 'asia eu us'],
  [{ sort: '-applications', limit: '1' }, 'asia'],
  [{ fieldSelector: 'state=NotReady' }, 'us'],
  [{ labelSelector: 'env=prod' }, 'eu'],
  [{ search: 'si' }, 'asia'],
  [{ page: '3' }, ''],
])('%j selects %s', (asked, expected) => {
  const views = [
    view('', 'asia'),
    view('fleet', 'eu', { labels: { env: 'prod' } }),
    view('', 'us', { state: 'NotReady' }),
  ];
  const known = [on('web', 'fleet', 'eu Ready', 'asia Failed'), on('api', 'x', 'asia Failed')];
  const query = clusterQueryOf(asked);
  const { items } = pageFrom(clustersBy(clusterItems(views, known), query.sort), query, ({ name }) => name);
  expect(items.join(' ')).toBe(expected);
});

test('what is in trouble comes first, be it the cluster or what runs there, and the most used of those', () => {
  const views = [
    view('', 'well'),
    view('', 'paused', { state: 'Paused' }),
    view('', 'unknown', { state: 'Unknown' }),
    view('', 'silent', { state: 'Unknown' }),
    view('', 'down', { state: 'NotReady' }),
    view('', 'failing'),
    view('', 'busy'),
  ];
  const known = [
    on('web', 'x', 'failing Failed', 'busy Failed', 'well Ready', 'silent Ready'),
    on('api', 'x', 'busy Ready'),
  ];
  const sorted = clustersBy(clusterItems(views, known), 'trouble');
  expect(sorted.map(({ name }) => name).join(' ')).toBe('down busy failing unknown paused silent well');
});

test('what does not exist cannot be asked for', () => {
  expect(() => clusterQueryOf({ probe: 'true' })).toThrow('"probe" is no key of this query');
  expect(() => clusterQueryOf({ fieldSelector: 'version=1' })).toThrow('"version" is no field of it');
});
