import type { KubeObject } from '../meta.js';

/** Every label, annotation and finalizer of ours, what some of them say, and those of ks-devops that its console reads. */

export const GITOPS_GROUP = 'gitops.kubesphere.io';

/** Field manager of what Fairlead writes to Applications and their children. */
export const FIELD_MANAGER = 'fairlead';

/** Keeps an Application until its children are deleted; the one of ks-devops, so that a handover leaves none behind. */
export const APPLICATION_FINALIZER = 'application.gitops.kubesphere.io';

/** On a child: UID of its Application. */
export const APPLICATION_UID_LABEL = 'gitops.kubesphere.io/application-uid';
/** On a child: name of its Application (ks-devops), shortened to a label value. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
/** On a child: key of its destination (ks-devops). */
export const ENTRY_KEY_ANNOTATION = 'app.kubernetes.io/name';
/** On a child: the `name` that its entry has, if any. */
export const ENTRY_NAME_ANNOTATION = 'gitops.kubesphere.io/entry-name';
/** On a child without an owner: name of the Application that holds it; the label has its UID. */
export const HOLDER_ANNOTATION = 'gitops.kubesphere.io/held-by';
/** On a child: name of the template that it was made from, shortened to a label value; */
export const TEMPLATE_LABEL = 'gitops.kubesphere.io/template';
/** its namespace, */
export const TEMPLATE_NAMESPACE_LABEL = 'gitops.kubesphere.io/template-namespace';
/** and its revision, which a HelmChart of ks-devops does not have. */
export const TEMPLATE_REVISION_LABEL = 'gitops.kubesphere.io/template-revision';
/** On a child for a cluster of the inventory: name of the object that describes the cluster, as a label value; */
export const CLUSTER_NAME_LABEL = 'gitops.kubesphere.io/cluster-name';
/** and its group, kind, namespace and name, separated by slashes. */
export const CLUSTER_ID_ANNOTATION = 'gitops.kubesphere.io/cluster-id';
/**
 * On a child, and on a Secret with a kubeconfig for a granted cluster: UID of the namespace kube-system of the cluster
 * that it is for. On another cluster nothing is done for it.
 */
export const CLUSTER_UID_ANNOTATION = 'gitops.kubesphere.io/cluster-uid';
/** On the object that describes a cluster: UID of the cluster that its credential may lead to, instead of the one before. */
export const ACCEPT_CLUSTER_UID_ANNOTATION = 'gitops.kubesphere.io/accept-cluster-uid';
/**
 * On a child: suspended by us, because its cluster answered with this UID of the namespace kube-system, which is not the
 * one that it is for.
 */
export const HALTED_ANNOTATION = 'gitops.kubesphere.io/halted';
/** On a child of a clusterSelector: what its entry releases, which tells it from children of other entries. */
export const SELECTION_ANNOTATION = 'gitops.kubesphere.io/selection';
/**
 * On a HelmRelease: labels and annotations for its target namespace, as JSON; `{}` if those that were there are to be
 * taken back.
 */
export const NAMESPACE_METADATA_ANNOTATION = 'gitops.kubesphere.io/namespace-metadata';
/** On an Application: approves the removals that the condition RemovalsHeld names, by the value that it names. */
export const APPROVE_REMOVALS_ANNOTATION = 'gitops.kubesphere.io/approve-removals';
/** On a child: digest of what was applied. */
export const APPLIED_DIGEST_ANNOTATION = 'gitops.kubesphere.io/applied-digest';

/** On a child whose entry has `mode: Once`: that mode. */
export const MODE_ANNOTATION = 'gitops.kubesphere.io/mode';

/** On a child that was installed once, and suspended by us since: the revision that was installed. */
export const INSTALLED_ONCE_ANNOTATION = 'gitops.kubesphere.io/installed-once';

/** On a child, `"true"`: suspended by us before it goes, so that it takes nothing along. */
export const SUSPENDED_FOR_REMOVAL_ANNOTATION = 'gitops.kubesphere.io/suspended-for-removal';

/**
 * On a child that no entry of its Application is for, and on a HelmRelease or Kustomization that no Application has: UID
 * of the Application that may take it over.
 */
export const OFFERED_TO_ANNOTATION = 'gitops.kubesphere.io/offered-to';

/** On a source, `"true"`: created for `source.inline` of Applications, and deleted when nothing uses it. */
export const INLINE_SOURCE_LABEL = 'gitops.kubesphere.io/inline-source';
/** On such a source: the versions of its Secrets when it was last fetched with them. */
export const CREDENTIALS_ANNOTATION = 'gitops.kubesphere.io/credentials';

/** On an Application: HelmRelease or Kustomization, for the console. */
export const TYPE_LABEL = 'gitops.kubesphere.io/type';
/** The same, as the console spells it. */
export const TYPE_LABEL_MISSPELT = 'gitops.kubepshere.io/type';
/** On an Application: `ready-total`, e.g. `1-2`, for the console. */
export const READY_NUMBER_LABEL = 'gitops.kubesphere.io/ready-number';
/** On an Application: its health, in Argo CD's words, for the console and for selectors. */
export const HEALTH_LABEL = 'gitops.kubesphere.io/health-status';
/** On an Application: its sync status, in Argo CD's words. */
export const SYNC_LABEL = 'gitops.kubesphere.io/sync-status';
/** On an Application: revision of its destinations, for the console. */
export const LAST_REVISION_ANNOTATION = 'gitops.kubesphere.io/last-revision';
/** What the controller says on an Application of its state. */
export const STATE_LABELS: readonly string[] = [
  ...[TYPE_LABEL, TYPE_LABEL_MISSPELT, READY_NUMBER_LABEL, HEALTH_LABEL, SYNC_LABEL],
];
export const STATE_ANNOTATIONS: readonly string[] = [LAST_REVISION_ANNOTATION];
/** On an Application: abandons children that are being deleted and whose cluster is permanently gone. */
export const ABANDON_ANNOTATION = 'gitops.kubesphere.io/abandon';
/** On an Application, `"true"`: children that ks-devops left behind, and that no entry adopted, are deleted. */
export const PRUNE_LEGACY_ANNOTATION = 'gitops.kubesphere.io/prune-legacy';

/** On an Application, a HelmRelease or a Kustomization, `"true"`: what would be written is published, and not written. */
export const DRY_RUN_ANNOTATION = 'gitops.kubesphere.io/dry-run';

/**
 * On an Application, `"true"`: its chart is kept as a HelmTemplate; the spelling of the design, and the one of
 * ks-devops.
 */
export const SAVE_HELM_LABELS = [
  'gitops.kubesphere.io/save-helmtemplate',
  'gitops.kubesphere.io/save-helm-template',
] as const;
/** On an Application, `"true"`: its source and path are kept as a KustomizationTemplate. */
const SAVE_KUSTOMIZATION_LABELS = [
  'gitops.kubesphere.io/save-kustomizationtemplate',
  'gitops.kubesphere.io/save-kustomization-template',
] as const;
/** On a saved template: `namespace/name` of the Application that it follows. */
export const SAVED_BY_ANNOTATION = 'gitops.kubesphere.io/saved-by';
/** On a HelmChart that ks-devops saved as a template; with `MANAGED_BY_LABEL`. */
export const LEGACY_TEMPLATE_MANAGER = 'gitops.kubesphere.io';
/** On a ControllerRevision: kind of the template whose history it is. */
export const REVISION_OF_LABEL = 'gitops.kubesphere.io/revision-of';

/** On a ControllerRevision: number of the revision of the Application that owns it; on a child: the one it was written from. */
export const APPLICATION_REVISION = 'gitops.kubesphere.io/application-revision';
/** On a ControllerRevision of an Application: digest of its content. */
export const REVISION_DIGEST_ANNOTATION = 'gitops.kubesphere.io/revision-digest';
/** Of Kubernetes. On an Application: why it was changed last; on such a ControllerRevision: why it was made. */
export const CHANGE_CAUSE_ANNOTATION = 'kubernetes.io/change-cause';
/** On such a ControllerRevision: what floats in it meant in the revision, as JSON. */
export const LOCK_ANNOTATION = 'gitops.kubesphere.io/locked-sources';
/** On a HelmChart, `"true"`: it looks up a version range for rollouts, and is deleted when none needs it. */
export const LOOKUP_LABEL = 'gitops.kubesphere.io/version-lookup';
/** On a source, its own name: a copy at one commit or digest, for rollouts; deleted when nothing uses it. */
export const PINNED_SOURCE_LABEL = 'gitops.kubesphere.io/pinned-source';
/** On an Application: number of the revision that it is pinned to, on all clusters; */
export const PIN_ANNOTATION = 'gitops.kubesphere.io/pin-revision';
/** and on single ones, e.g. `eu-west=3,fleet/us-east=2`, which win. */
export const PIN_CLUSTERS_ANNOTATION = 'gitops.kubesphere.io/pin-cluster-revisions';

/** On an Application: `STAGE@REVISION`, approves a stage of its rollout, */
export const APPROVE_STAGE_ANNOTATION = 'gitops.kubesphere.io/approve-stage';
/** the revision that is to be rolled out again after it was rolled back. */
export const RETRY_ROLLOUT_ANNOTATION = 'gitops.kubesphere.io/retry-rollout';
/** the revision whose rollout is to go back as a whole, */
export const ABORT_ROLLOUT_ANNOTATION = 'gitops.kubesphere.io/abort-rollout';
/** and `"true"`: nothing is updated or installed. */
export const PAUSE_ROLLOUT_ANNOTATION = 'gitops.kubesphere.io/pause-rollout';
/** On an Application: number of the revision that windows do not hold. */
export const IGNORE_WINDOWS_ANNOTATION = 'gitops.kubesphere.io/ignore-windows';

/** On a Secret with a kubeconfig for a granted cluster, `"true"`: the controller made it, and renews it. */
export const CREDENTIAL_LABEL = 'gitops.kubesphere.io/cluster-credential';
/** On such a Secret: identity of the cluster, */
export const CREDENTIAL_CLUSTER_ANNOTATION = 'gitops.kubesphere.io/cluster-id';
/** name of the ClusterGrant, also after it was taken back; a cluster of the namespace itself needs none, */
export const CREDENTIAL_GRANT_ANNOTATION = 'gitops.kubesphere.io/cluster-grant';
/** whose kubeconfig it is: `namespace/name` of a ServiceAccount of the cluster, or `SharedCredential`, */
export const CREDENTIAL_ACCOUNT_ANNOTATION = 'gitops.kubesphere.io/credential-account';
/** hash of what the kubeconfig was made from; not set if the Secret has none, because the grant was taken back, */
export const CREDENTIAL_BASIS_ANNOTATION = 'gitops.kubesphere.io/credential-basis';
/** time at which the token is renewed; not set if it has no end. */
export const CREDENTIAL_RENEWAL_ANNOTATION = 'gitops.kubesphere.io/credential-renewal';

/** On a namespace that a demo created: its own UID, which no copy and no restored one has. */
export const DEMO_UID_ANNOTATION = 'gitops.kubesphere.io/demo-uid';

/** On everything that `fairlead install` writes. */
export const PART_OF_LABEL = 'app.kubernetes.io/part-of';
export const PART_OF_FAIRLEAD = 'fairlead';
/** On a namespace, `allowed`: its pods may read the metrics of controller and console (NetworkPolicy). */
export const METRICS_LABEL = 'gitops.kubesphere.io/metrics';
export const METRICS_ALLOWED = 'allowed';
/** On namespace and ServiceAccount of the controller: the profile that was installed, or whose installation was interrupted. */
export const PROFILE_ANNOTATION = 'gitops.kubesphere.io/profile';
/** On what only the embedded engine needs: if Flux is the engine, `fairlead install` omits it. */
export const COMPONENT_LABEL = 'app.kubernetes.io/component';
export const EMBEDDED_ENGINE = 'embedded-engine';
/** At the end of the description of each of our schemas: another schema applied over ours removes it. */
export const OUR_SCHEMA_NOTE = 'Installed by Fairlead.';
/** On our CRDs: version of the schema, so that an older program does not overwrite a newer one. */
export const CRD_VERSION_LABEL = 'gitops.kubesphere.io/crd-version';
const CRD_VERSION = '0.1.0';

export const CRD_LABELS: Readonly<Record<string, string>> = {
  [PART_OF_LABEL]: PART_OF_FAIRLEAD,
  [CRD_VERSION_LABEL]: CRD_VERSION,
};

/** On a Secret with a kubeconfig, `"true"`: it is a cluster of the inventory, whose labels are those of the Secret. */
export const CLUSTER_LABEL = 'gitops.kubesphere.io/cluster';

/** In the annotation that abandons children: those of all clusters. */
export const EVERY_CLUSTER = 'true';

/** Names of clusters, as the status has them, that a user gave up; one of them may stand for all. */
export function abandonedNames({ metadata }: Pick<KubeObject, 'metadata'>): string[] {
  const text = metadata.annotations?.[ABANDON_ANNOTATION] ?? '';
  return text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

/** UID of the cluster that an object is for; undefined: it was not known yet, or any will do. */
export function recordedUid({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[CLUSTER_UID_ANNOTATION];
}

/** UID of the cluster that may take the place of the one that a cluster was, by its annotations. */
export function acceptedUid(annotations: Readonly<Record<string, string>>): string | undefined {
  return annotations[ACCEPT_CLUSTER_UID_ANNOTATION];
}

/** The labels that ask for a template of a kind; the first one is ours. */
export const SAVE_LABELS = {
  HelmTemplate: SAVE_HELM_LABELS,
  KustomizationTemplate: SAVE_KUSTOMIZATION_LABELS,
} as const;

/** True when the Application asks for its chart, or its files, to be saved as a template. */
export function isSaver({ metadata }: Pick<KubeObject, 'metadata'>, kind: keyof typeof SAVE_LABELS): boolean {
  return SAVE_LABELS[kind].some((label) => metadata.labels?.[label] === 'true');
}
