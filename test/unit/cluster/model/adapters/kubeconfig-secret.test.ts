import { expect, test } from '@jest/globals';
import { kubeconfigSecret } from '#controllers/cluster/model/adapters/kubeconfig-secret.js';

test('a labelled Secret is a cluster with the labels of the Secret', () => {
  const labels = { 'gitops.kubesphere.io/cluster': 'true', env: 'prod' };
  const metadata = { namespace: 'fleet', name: 'eu', labels, annotations: { region: 'west' } };
  expect(kubeconfigSecret.clusterOf({ apiVersion: 'v1', kind: 'Secret', metadata })).toEqual({
    id: { apiGroup: '', kind: 'Secret', namespace: 'fleet', name: 'eu' },
    labels,
    annotations: { region: 'west' },
    facts: {},
    kubernetesVersion: undefined,
    readiness: { state: 'Unknown', message: 'a Secret reports no readiness' },
    isPaused: false,
    isHost: false,
    credential: { type: 'kubeconfig-secret', namespace: 'fleet', name: 'eu', key: undefined },
  });
});
