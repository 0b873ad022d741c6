import { describe, expect, it } from '@jest/globals';
import { clusterNameFrom, clusterNameIn } from '#controllers/application/model/child/cluster.js';
import { clusterIdText } from '#controllers/cluster/model/cluster.js';
import { central, own } from './builders.js';

describe('the name of a cluster for people', () => {
  it.each([
    ['is its own in its namespace', 'shop', own('eu'), 'eu'],
    ['has the namespace elsewhere', 'web', own('eu'), 'shop/eu'],
    ['has none if the cluster has none', 'shop', central('eu'), 'eu'],
  ])('%s, as read from its identity', (_, namespace, { id }, name) => {
    expect(clusterNameIn(namespace, id)).toBe(name);
    expect(clusterNameFrom(namespace, clusterIdText(id))).toBe(name);
  });

  it('is the text itself if that is no identity', () => {
    expect(clusterNameFrom('shop', 'odd')).toBe('odd');
  });
});
