import { describe, expect, test } from '@jest/globals';
import { meantBy, namedClusters } from '#queries/host/model/named-clusters.js';
import type { ClusterView } from '#queries/answers/clusters.js';
import { viewOf } from '#queries/views/application-view.js';
import { application } from '../../../../support/application.js';

function view(namespace: string, name: string): ClusterView {
  const nothing = { apiGroup: '', kind: 'Secret', version: '', message: '', labels: {}, usedBy: [] };
  return { ...nothing, namespace, name, state: 'Ready' };
}

function on(name: string, ...clusters: readonly string[]) {
  const rows = clusters.map((cluster) => `{ name: ${cluster}, cluster: ${cluster}, state: Ready }`);
  return viewOf(application(name, `{ destinations: [${rows.join(', ')}] }`));
}

describe('a destination means', () => {
  test.each<[string, string, readonly string[], readonly string[]]>([
    ['the object of its namespace', 'eu', ['shop/eu'], ['shop/eu']],
    ['the object without a namespace', 'eu', ['/eu'], ['/eu']],
    ['both, if there are two', 'eu', ['/eu', 'shop/eu'], ['shop/eu', '/eu']],
    ['no object of another namespace', 'eu', ['team/eu'], ['shop/eu']],
    ['the object of another namespace that it names', 'team/eu', ['team/eu', 'shop/eu'], ['team/eu']],
    ['the object of the full name', 'Secret/team/eu', ['team/eu', '/eu'], ['team/eu']],
    ['the object of the full name without a namespace', 'Cluster/eu', ['shop/eu', '/eu'], ['/eu']],
    ['the host, which has no object', 'host', [], ['/host']],
    ['an object that is called host', 'host', ['shop/host'], ['shop/host']],
  ])('%s', (_, cluster, known, places) => {
    expect(meantBy(cluster, 'shop', new Set(known))).toEqual(places);
  });
});

describe('clusters that only destinations name', () => {
  test('have their Applications, and say why they are known', () => {
    const found = namedClusters([view('shop', 'eu')], [on('web', 'eu', 'us'), on('api', 'us', 'host')]);
    expect(found.map(({ namespace, name, state, usedBy }) => [namespace, name, state, usedBy])).toEqual([
      ['shop', 'us', 'Unknown', ['shop/api', 'shop/web']],
      ['', 'host', 'Ready', ['shop/api']],
    ]);
    expect(found.map(({ message }) => message)).toEqual([
      'destinations name it, and you may read no object that describes it',
      '',
    ]);
  });

  test('are none where all have objects', () => {
    expect(namedClusters([view('shop', 'eu'), view('', 'us')], [on('web', 'eu', 'us'), on('new')])).toEqual([]);
  });
});
