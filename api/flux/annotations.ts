/** Annotations, labels and finalizers that people and tools use with Flux's controllers. */

/** Requests a reconciliation now; any new value counts. */
export const REQUESTED_AT_ANNOTATION = 'reconcile.fluxcd.io/requestedAt';
/** With the value of requestedAt: one install or upgrade, even if nothing changed. */
export const FORCE_AT_ANNOTATION = 'reconcile.fluxcd.io/forceAt';
/** With the value of requestedAt: resets the failure counters. */
export const RESET_AT_ANNOTATION = 'reconcile.fluxcd.io/resetAt';
/** Held by each of Flux's controllers until it has cleaned up. */
export const FLUX_FINALIZER = 'finalizers.fluxcd.io';
/** On a CRD: `disabled` keeps variables in its descriptions untouched. */
export const SUBSTITUTE_ANNOTATION = 'kustomize.toolkit.fluxcd.io/substitute';
/** On what Helm keeps: the name of its release. */
export const RELEASE_NAME_ANNOTATION = 'meta.helm.sh/release-name';
/** On what was made for a HelmRelease (its HelmChart, managed objects, storage Secrets): its name, */
export const ORIGIN_NAME_LABEL = 'helm.toolkit.fluxcd.io/name';
/** and its namespace. */
export const ORIGIN_NAMESPACE_LABEL = 'helm.toolkit.fluxcd.io/namespace';
/** On storage Secrets: its UID, which the HelmRelease of that name on another host does not have. */
export const ORIGIN_UID_LABEL = 'gitops.kubesphere.io/helmrelease-uid';
