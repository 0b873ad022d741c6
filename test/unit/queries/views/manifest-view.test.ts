import { expect, test } from '@jest/globals';
import { chooseDestination, type DestinationChoice } from '#queries/views/manifest-view.js';
import type { DestinationView } from '#queries/answers/application.js';

function destination(cluster: string, release: string, child: string): DestinationView {
  return { name: cluster, cluster, namespace: 'shop', release, child, state: 'Ready', revision: '', message: '' };
}

const EU = destination('eu', 'web', 'HelmRelease shop/web-eu');
const US = destination('us', 'web', 'HelmRelease shop/web-us');
const DB = destination('us', 'db', 'HelmRelease shop/db-us');
const ALL = [EU, US, DB];

test.each<[DestinationChoice, DestinationView]>([
  [{ cluster: 'eu' }, EU],
  [{ cluster: 'us', release: 'db' }, DB],
  [{ release: 'db' }, DB],
  [{ child: 'HelmRelease shop/web-us' }, US],
  [{ cluster: 'us', release: 'web', child: 'HelmRelease shop/web-us' }, US],
])('%j means one', (choice, meant) => {
  expect(chooseDestination(ALL, choice)).toEqual({ destination: meant });
});

test('no choice is needed of the only one', () => {
  expect(chooseDestination([EU], {})).toEqual({ destination: EU });
});

test.each<[readonly DestinationView[], DestinationChoice, string]>([
  [[], {}, 'the Application has no destination'],
  [ALL, {}, '3 destinations are meant: choose one by cluster, release or child; there are eu web'],
  [ALL, { cluster: 'us' }, 'there are us web (HelmRelease shop/web-us), us db (HelmRelease shop/db-us)'],
  [ALL, { cluster: 'asia' }, 'no destination is meant'],
  [ALL, { cluster: 'eu', release: 'db' }, 'no destination is meant'],
])('%j with %j is refused', (destinations, choice, says) => {
  expect(chooseDestination(destinations, choice)).toEqual({ problem: expect.stringContaining(says) });
});
