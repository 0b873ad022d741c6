import type { ResourceType } from '../meta.js';

const profileOfVersion = (version: string): ResourceType => ({
  group: 'multicluster.x-k8s.io',
  version,
  kind: 'ClusterProfile',
  plural: 'clusterprofiles',
  namespaced: true,
  hasSpec: true,
});

/** SIG Multicluster's ClusterProfile in the versions that we read, the newest first. */
export const CLUSTER_PROFILE_RESOURCES = ['v1alpha2', 'v1alpha1'].map(profileOfVersion);
