import { secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { readableAnnotations } from '../metadata.js';
import type { Adapter } from './types.js';

const UNKNOWN = { state: 'Unknown', message: 'a Secret reports no readiness' } as const;

/** Secrets with a kubeconfig and our label: the simplest way to name a cluster. */
export const kubeconfigSecret: Adapter = {
  name: 'kubeconfig Secrets',
  types: [secretResource],
  labelSelector: `${CLUSTER_LABEL}=true`,
  metadataOnly: true,
  clusterOf: ({ metadata }: KubeObject) => {
    const { namespace = '', name, labels = {} } = metadata;
    return {
      id: { apiGroup: '', kind: 'Secret', namespace, name },
      labels,
      annotations: readableAnnotations(metadata),
      facts: {},
      kubernetesVersion: undefined,
      readiness: UNKNOWN,
      isPaused: false,
      isHost: false,
      credential: { type: 'kubeconfig-secret', namespace, name, key: undefined },
    };
  },
};
