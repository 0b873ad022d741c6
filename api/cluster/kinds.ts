import { resourceType } from '../meta.js';

/** KubeSphere's Cluster, which holds its kubeconfig itself. */
export const kubesphereClusterResource = resourceType('cluster.kubesphere.io/v1alpha1', 'Cluster', 'clusters', {
  namespaced: false,
  hasSpec: true,
});

/** On the Cluster that KubeSphere itself runs in. */
export const HOST_CLUSTER_LABEL = 'cluster-role.kubesphere.io/host';

/** SIG Multicluster's ClusterProfile in the versions that we read, the newest first. */
export const CLUSTER_PROFILE_RESOURCES = ['v1alpha2', 'v1alpha1'].map((version) =>
  resourceType(`multicluster.x-k8s.io/${version}`, 'ClusterProfile', 'clusterprofiles', { hasSpec: true }),
);

/** A Secret with the label `argocd.argoproj.io/secret-type: cluster` is a cluster of Argo CD. */
export const ARGOCD_SECRET_SELECTOR = 'argocd.argoproj.io/secret-type=cluster';
/** On such a Secret, `"true"`: Argo CD does nothing in this cluster. */
export const ARGOCD_SKIP_RECONCILE_ANNOTATION = 'argocd.argoproj.io/skip-reconcile';

/** Cluster API's Cluster in the versions that we read, the newest first. */
export const CLUSTER_API_RESOURCES = ['v1beta2', 'v1beta1'].map((version) =>
  resourceType(`cluster.x-k8s.io/${version}`, 'Cluster', 'clusters', { hasSpec: true }),
);

/** On a Cluster, with any value: its controllers do nothing. */
export const PAUSED_ANNOTATION = 'cluster.x-k8s.io/paused';
/** The Secret with the kubeconfig has the name of the Cluster with this at its end, */
export const KUBECONFIG_SUFFIX = '-kubeconfig';
/** and the kubeconfig under this key. */
export const KUBECONFIG_KEY = 'value';
/** Groups of the objects that a Cluster refers to. */
export const CONTROL_PLANE_GROUP = 'controlplane.cluster.x-k8s.io';
export const INFRASTRUCTURE_GROUP = 'infrastructure.cluster.x-k8s.io';
