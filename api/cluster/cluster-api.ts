import type { ResourceType } from '../meta.js';

const clusterOfVersion = (version: string): ResourceType => ({
  group: 'cluster.x-k8s.io',
  version,
  kind: 'Cluster',
  plural: 'clusters',
  namespaced: true,
  hasSpec: true,
});

/** Cluster API's Cluster in the versions that we read, the newest first. */
export const CLUSTER_API_RESOURCES = ['v1beta2', 'v1beta1'].map(clusterOfVersion);

/** On a Cluster, with any value: its controllers do nothing. */
export const PAUSED_ANNOTATION = 'cluster.x-k8s.io/paused';
/** The Secret with the kubeconfig has the name of the Cluster with this at its end, */
export const KUBECONFIG_SUFFIX = '-kubeconfig';
/** and the kubeconfig under this key. */
export const KUBECONFIG_KEY = 'value';
/** Groups of the objects that a Cluster refers to. */
export const CONTROL_PLANE_GROUP = 'controlplane.cluster.x-k8s.io';
export const INFRASTRUCTURE_GROUP = 'infrastructure.cluster.x-k8s.io';
