import { describe, expect, test } from '@jest/globals';
import { clusterViews, type Listed } from '#queries/host/model/cluster-view.js';
import type { KubeObject } from '#api/meta.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';

const CAPI = { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster' } as const;

function cluster(name: string, more: Partial<Cluster> = {}): Cluster {
  return {
    id: { ...CAPI, namespace: 'fleet', name },
    ...{ labels: { env: 'prod' }, annotations: {}, facts: {}, kubernetesVersion: 'v1.33.1' },
    ...{ readiness: { state: 'Ready', message: '' }, isPaused: false, isHost: false },
    credential: { type: 'kubeconfig-secret', namespace: 'fleet', name: `${name}-kubeconfig`, key: 'value' },
    ...more,
  };
}

function child(application: string, idText: string): KubeObject {
  const labels = { 'app.kubernetes.io/managed-by': application };
  const annotations = { 'gitops.kubesphere.io/cluster-id': idText };
  const metadata = { namespace: 'shop', name: `${application}-child`, labels, annotations };
  return { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata };
}

const EU = 'cluster.x-k8s.io/Cluster/fleet/eu';

describe('what is shown of clusters', () => {
  const views = (listed: Partial<Listed>) =>
    clusterViews({ clusters: [], children: [], unread: [], granted: new Map(), namespace: undefined, ...listed });

  test('is what the inventory has, with the Applications that use them, each once', () => {
    const children = [child('web', EU), child('web', EU), child('api', EU), child('db', '/Secret/fleet/other')];
    const unread = [{ apiGroup: '', kind: 'Secret' }] as const;
    expect(views({ clusters: [cluster('eu'), cluster('us')], children, unread })).toEqual([
      {
        ...{ ...CAPI, namespace: 'fleet', name: 'eu', version: 'v1.33.1', state: 'Ready', message: '' },
        ...{ labels: { env: 'prod' }, usedBy: ['shop/api', 'shop/web'] },
      },
      expect.objectContaining({ name: 'us', usedBy: [] }),
    ]);
  });

  const states: readonly (readonly [string, Partial<Cluster>, object])[] = [
    [
      'that is not ready is why',
      { readiness: { state: 'NotReady', message: 'no nodes' } },
      { state: 'NotReady', message: 'no nodes' },
    ],
    ['that is paused is so', { isPaused: true }, { state: 'Paused' }],
    [
      'without a credential is why',
      { credential: { type: 'none', why: 'nobody has one' } },
      { message: 'nobody has one' },
    ],
    [
      'without a namespace has an empty one',
      { id: { apiGroup: 'cluster.kubesphere.io', kind: 'Cluster', namespace: undefined, name: 'gondor' } },
      { namespace: '' },
    ],
  ];

  test.each(states)('of one %s', (_title, more, expected) => {
    expect(views({ clusters: [cluster('eu', more)] })).toEqual([expect.objectContaining(expected)]);
  });

  test('has those that children are for and that the inventory lacks', () => {
    const [lost] = views({ children: [child('web', EU)] });
    expect(lost).toMatchObject({ ...CAPI, namespace: 'fleet', name: 'eu', state: 'Lost', usedBy: ['shop/web'] });
  });

  const hidden: readonly (readonly [string, Partial<Listed>])[] = [
    ['in another namespace', { namespace: 'other' }],
    ['of a kind that could not be read', { unread: [CAPI] }],
  ];

  test.each(hidden)('lacks what children are for %s', (_title, listed) => {
    expect(views({ children: [child('web', EU)], ...listed })).toEqual([]);
  });

  test('has a Secret with two labels once', () => {
    expect(views({ clusters: [cluster('eu'), cluster('eu', { isPaused: true })] })).toMatchObject([{ state: 'Ready' }]);
  });
});
