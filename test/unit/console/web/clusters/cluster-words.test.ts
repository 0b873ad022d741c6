import { expect, test } from '@jest/globals';
import type { ClusterItem } from '#queries/answers/clusters.js';
import { clusterMark, tellingLabels } from '#console/web/clusters/model/clusters.js';

test.each<[string, Pick<ClusterItem, 'state' | 'message' | 'worst'>, string | undefined]>([
  ['is ready', { state: 'Ready', message: '', worst: 'Failed' }, 'Ready'],
  ['is not ready', { state: 'NotReady', message: 'no answer', worst: '' }, 'NotReady'],
  ['only exists', { state: 'Unknown', message: '', worst: '' }, 'Registered'],
  ['only exists, and has something that runs', { state: 'Unknown', message: '', worst: 'Ready' }, undefined],
  ['may not be read', { state: 'Unknown', message: 'granted by ClusterGrant eu', worst: '' }, 'Unknown'],
])('a cluster that %s', (_, cluster, text) => {
  expect(clusterMark(cluster)?.text).toBe(text);
});

test('labels that only make a Secret a cluster are not shown', () => {
  const marker = { 'gitops.kubesphere.io/cluster': 'true', 'argocd.argoproj.io/secret-type': 'cluster' };
  expect(tellingLabels({ tier: 'edge', ...marker, env: 'prod' })).toEqual([
    ['env', 'prod'],
    ['tier', 'edge'],
  ]);
  expect(tellingLabels({ 'gitops.kubesphere.io/cluster': 'no' })).toHaveLength(1);
});
