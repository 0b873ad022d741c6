import type { ResourceType } from '../meta.js';

/** KubeSphere's Cluster, which holds its kubeconfig itself. */
export const kubesphereClusterResource: ResourceType = {
  group: 'cluster.kubesphere.io',
  version: 'v1alpha1',
  kind: 'Cluster',
  plural: 'clusters',
  namespaced: false,
  hasSpec: true,
};

/** On the Cluster that KubeSphere itself runs in. */
export const HOST_CLUSTER_LABEL = 'cluster-role.kubesphere.io/host';
