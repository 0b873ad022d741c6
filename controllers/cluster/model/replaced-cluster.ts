import { ACCEPT_CLUSTER_UID_ANNOTATION, CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';

/** UIDs of clusters; undefined: unknown, or none. */
export interface ClusterUids {
  /** Of the cluster that a kubeconfig was made for. */
  readonly made: string | undefined;
  /** Of the cluster that answers. */
  readonly now: string | undefined;
  /** Of the cluster that may take its place. */
  readonly accepted: string | undefined;
}

/**
 * Why a kubeconfig for a cluster must not become one for the cluster that answers now; undefined if it may. Never
 * throws.
 */
export function replacementProblem({ made, now, accepted }: ClusterUids): string | undefined {
  if (made === undefined || made === now) return undefined;
  if (now === undefined) {
    return `the credential of the inventory may not read the UID of namespace kube-system, so it may lead to another cluster; if this is right, remove the annotation ${CLUSTER_UID_ANNOTATION} of the Secret`;
  }
  if (accepted === now) return undefined;
  return `the credential of the inventory leads to another cluster: the UID of namespace kube-system was ${made} and is ${now}; if this is right, set the annotation ${ACCEPT_CLUSTER_UID_ANNOTATION} of the cluster to ${now}`;
}
