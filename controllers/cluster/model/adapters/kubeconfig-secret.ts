import { secretResource } from '#api/core.js';
import { CLUSTER_LABEL, CREDENTIAL_LABEL } from '#api/v1alpha1/labels.js';
import { SAYS_NOTHING } from '../fields.js';
import { withReadableAnnotations } from '../metadata.js';
import type { Adapter } from './types.js';

/** Secrets with a kubeconfig and our label: the simplest way to name a cluster. */
export const kubeconfigSecret: Adapter = {
  name: 'kubeconfig Secrets',
  kind: { apiGroup: '', kind: 'Secret' },
  types: [secretResource],
  // A kubeconfig that was made for a granted cluster is no cluster of its own, which would need no grant.
  labelSelector: `${CLUSTER_LABEL}=true,!${CREDENTIAL_LABEL}`,
  metadataOnly: true,
  keep: withReadableAnnotations,
  clusterOf: ({ metadata }) => {
    const { namespace = '', name, labels = {}, annotations = {} } = metadata;
    return {
      id: { apiGroup: '', kind: 'Secret', namespace, name },
      labels,
      annotations,
      facts: {},
      kubernetesVersion: undefined,
      readiness: SAYS_NOTHING,
      isPaused: false,
      isHost: false,
      credential: { type: 'kubeconfig-secret', namespace, name, key: undefined },
    };
  },
};
