import type { ClusterGrant, ClusterGrantSpec } from '#api/v1alpha1/cluster-grant.js';
import type { Cluster, ClusterId } from '#controllers/cluster/model/cluster.js';

/** A Cluster of KubeSphere, which is cluster-scoped. */
export function kubeSphere(name: string, labels: Record<string, string> = {}): Cluster {
  return cluster({ apiGroup: 'cluster.kubesphere.io', kind: 'Cluster', namespace: undefined, name }, { labels });
}

/** A Secret with a kubeconfig. */
export function secretCluster(namespace: string, name: string, labels: Record<string, string> = {}): Cluster {
  const credential = { type: 'kubeconfig-secret', namespace, name, key: undefined } as const;
  return cluster({ apiGroup: '', kind: 'Secret', namespace, name }, { labels, credential });
}

export function cluster(id: ClusterId, more: Partial<Cluster> = {}): Cluster {
  return {
    id,
    labels: {},
    annotations: {},
    facts: {},
    kubernetesVersion: undefined,
    readiness: { state: 'Ready', message: '' },
    isPaused: false,
    isHost: false,
    credential: { type: 'inline', version: 'uid/1' },
    ...more,
  };
}

/** A grant of the KubeSphere cluster eu to the namespace shop. */
export function clusterGrant(name: string, spec: Partial<ClusterGrantSpec> = {}): ClusterGrant {
  return {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'ClusterGrant',
    metadata: { name },
    spec: {
      clusters: { names: [{ kind: 'Cluster', name: 'eu' }] },
      namespaces: { names: ['shop'] },
      targetNamespaces: ['web'],
      serviceAccount: { name: 'deployer', namespace: 'tenants' },
      ...spec,
    },
  };
}
