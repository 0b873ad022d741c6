import { describe, expect, it, test } from '@jest/globals';
import {
  ALL_CLUSTERS,
  clusterQueryOf,
  clusterSearchOf,
  clustersPath,
  hasLabel,
  matrixOf,
  selectorProblem,
  withLabelToggled,
} from '#console/web/clusters/model/clusters.js';

describe('the query of the page', () => {
  const FULL = {
    ...{ search: 'eu', labels: 'env in (a,b)', state: 'NotReady' },
    ...{ worst: 'Failed', sort: '-applications', page: 3 },
  };

  it('is kept in the URL', () => {
    expect(clusterQueryOf(clusterSearchOf(FULL))).toEqual(FULL);
    expect(clusterSearchOf(ALL_CLUSTERS)).toBe('');
    expect(clusterQueryOf('')).toEqual(ALL_CLUSTERS);
  });

  it('ignores what it does not know', () => {
    expect(clusterQueryOf('?state=a%3Db&sort=server&page=-1&other=1')).toEqual(ALL_CLUSTERS);
  });

  it('is asked for in the words of the server, without a selector that nobody can read', () => {
    const { pathname, searchParams } = new URL(clustersPath(FULL), 'http://x');
    expect(pathname).toBe('/api/v1/clusters');
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ search: 'eu', labelSelector: 'env in (a,b)', fieldSelector: 'state=NotReady,worst=Failed' },
      ...{ sort: '-applications', page: '3', limit: '50' },
    });
    expect(clustersPath({ ...ALL_CLUSTERS, labels: 'env in (' })).not.toContain('labelSelector');
  });
});

test.each([
  ['', true],
  ['env=prod,tier!=edge', true],
  ['env=', true],
  ['env in (', false],
])('of the selector %j it is %s that it can be read', (labels, isRead) => {
  expect(selectorProblem(labels) === '').toBe(isRead);
});

describe('a label', () => {
  test.each([
    ['', 'env=prod'],
    ['tier=edge', 'tier=edge,env=prod'],
    ['env=prod', ''],
    ['env in (prod,test), env=prod', 'env in (prod,test)'],
  ])('turns %j to %j', (labels, expected) => {
    const toggled = withLabelToggled(labels, 'env', 'prod');
    expect(toggled).toBe(expected);
    expect(selectorProblem(toggled)).toBe('');
    expect(hasLabel(toggled, 'env', 'prod')).toBe(!hasLabel(labels, 'env', 'prod'));
  });

  it('in a list of values is not asked for by itself', () => {
    expect(hasLabel('env in (a,env=prod)', 'env', 'prod')).toBe(false);
  });
});

test.each([
  ['shop', 'eu', '/?state=Failed&namespace=shop&cluster=eu&sort=cluster%3Aeu'],
  ['fleet', 'fleet/eu', '/?state=Failed&cluster=fleet%2Feu&sort=cluster%3Afleet%2Feu'],
  ['', 'host', '/?state=Failed&cluster=host&sort=cluster%3Ahost'],
])('Applications of a cluster in %j that they call %s are at %s', (namespace, name, expected) => {
  expect(matrixOf({ namespace }, name, 'Failed')).toBe(expected);
});
