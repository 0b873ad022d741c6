import { expect, test } from '@jest/globals';
import { kubeconfigSecret } from '#controllers/cluster/model/adapters/kubeconfig-secret.js';
import { parseSelector } from '#lib/kube/label-selector.js';

test('a labelled Secret is a cluster with the labels of the Secret', () => {
  const labels = { 'gitops.kubesphere.io/cluster': 'true', env: 'prod' };
  const metadata = { namespace: 'fleet', name: 'eu', labels, annotations: { region: 'west' } };
  expect(kubeconfigSecret.clusterOf({ apiVersion: 'v1', kind: 'Secret', metadata })).toEqual({
    id: { apiGroup: '', kind: 'Secret', namespace: 'fleet', name: 'eu' },
    labels,
    annotations: { region: 'west' },
    facts: {},
    kubernetesVersion: undefined,
    readiness: { state: 'Unknown', message: '' },
    isPaused: false,
    isHost: false,
    credential: { type: 'kubeconfig-secret', namespace: 'fleet', name: 'eu', key: undefined },
  });
});

test.each([
  ['with the label is a cluster', { 'gitops.kubesphere.io/cluster': 'true' }, true],
  ['without it is none', {}, false],
  [
    'that was made for a granted cluster is none of its own',
    { 'gitops.kubesphere.io/cluster': 'true', 'gitops.kubesphere.io/cluster-credential': 'true' },
    false,
  ],
])('a Secret %s', (_title, labels, isSelected) => {
  expect(parseSelector(kubeconfigSecret.labelSelector ?? '')(labels)).toBe(isSelected);
});
