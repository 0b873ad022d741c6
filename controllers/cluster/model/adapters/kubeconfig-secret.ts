import { secretResource } from '#api/core.js';
import { CLUSTER_LABEL, CREDENTIAL_LABEL } from '#api/v1alpha1/labels.js';
import { clusterOfObject, withReadableAnnotations } from '../fields.js';
import type { Adapter } from '../cluster.js';

/** Secrets with a kubeconfig and our label: the simplest way to name a cluster. */
export const kubeconfigSecret: Adapter = {
  name: 'kubeconfig Secrets',
  kind: { apiGroup: '', kind: 'Secret' },
  types: [secretResource],
  // A kubeconfig that was made for a granted cluster is no cluster of its own, which would need no grant.
  labelSelector: `${CLUSTER_LABEL}=true,!${CREDENTIAL_LABEL}`,
  metadataOnly: true,
  keep: withReadableAnnotations,
  clusterOf: (secret) => {
    const { namespace = '', name } = secret.metadata;
    const credential = { type: 'kubeconfig-secret', namespace, name, key: undefined } as const;
    return clusterOfObject(secret, kubeconfigSecret.kind, { credential });
  },
};
