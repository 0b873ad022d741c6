import { CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';

/**
 * Why a kubeconfig for a cluster must not become one for the cluster that answers now; undefined if it may. `made` is
 * the UID of the cluster that it was made for, and `now` that of the one that answers; undefined: unknown.
 */
export function replacementProblem(made: string | undefined, now: string | undefined): string | undefined {
  if (made === undefined || made === now) return undefined;
  const found =
    now === undefined
      ? 'may not read the UID of namespace kube-system, so it may lead to another cluster'
      : `leads to another cluster: the UID of namespace kube-system was ${made} and is ${now}`;
  return `the credential of the inventory ${found}; if this is right, remove the annotation ${CLUSTER_UID_ANNOTATION} of the Secret`;
}
