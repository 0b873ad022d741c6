/** @internal Condition types of Flux's kinds. */
export const FLUX_CONDITION_TYPES = {
  Ready: 'Summarizes all other conditions.',
  Reconciling: 'True while a reconciliation is in progress.',
  Stalled: 'True when nothing is retried until something changes.',
  Released: 'HelmRelease: result of the last install or upgrade.',
  TestSuccess: 'HelmRelease: result of the last tests.',
  Remediated: 'HelmRelease: result of the last rollback or uninstall after a failure.',
  Drifted: 'HelmRelease: whether live objects differ from the release.',
  Healthy: 'Kustomization: whether all checked objects are healthy.',
  DryRun: 'HelmRelease, Kustomization: whether the changes of the dry run in status.dryRun would succeed.',
  ArtifactInStorage: 'Source: whether an artifact is stored.',
  ArtifactOutdated: 'Source: whether the artifact is outdated.',
  FetchFailed: 'Source: why the last fetch failed.',
  BuildFailed: 'Source: why the artifact could not be built.',
  StorageOperationFailed: 'Source: why the artifact could not be stored.',
  SourceVerified: 'Source: whether the signature was verified.',
  IncludeUnavailable: 'GitRepository: which included repository has no artifact.',
} as const;

/** Reason of an attempt that nobody waits for any more. */
export const HEALTH_CHECK_CANCELED = 'HealthCheckCanceled';

/** Reason when the target cluster is unreachable; only the embedded engine sets it. */
export const CLUSTER_UNREACHABLE = 'ClusterUnreachable';

/** Reason when the kubeconfig leads to another cluster than before; only the embedded engine sets it. */
export const CLUSTER_REPLACED = 'ClusterReplaced';

/** Reason when the Secret with the kubeconfig does not exist; only the embedded engine sets it. */
export const KUBECONFIG_NOT_FOUND = 'KubeConfigSecretNotFound';

/** Reason of a deletion that waits because its owner could not be read. Only the embedded engine sets it. */
export const OWNER_UNKNOWN = 'OwnerUnknown';

/** Reason of a HelmRelease whose release another one of its namespace has. Only the embedded engine sets it. */
export const RELEASE_HELD = 'ReleaseHeld';

/**
 * Reason of Ready=False of a release that was deployed, and whose objects were deleted since. Only the embedded engine
 * sets it.
 */
export const OBJECTS_MISSING = 'ObjectsMissing';

/** @internal Every reason that the embedded engine, or Flux, gives in a condition. */
export const FLUX_REASONS = {
  Succeeded: 'The source was fetched, or the Receiver has a path.',
  Progressing: 'The object is being reconciled.',
  ProgressingWithRetry: 'The last attempt failed and is retried.',
  Suspended: 'The object is suspended.',
  InstallSucceeded: 'The chart was installed.',
  InstallFailed: 'The chart could not be installed.',
  UpgradeSucceeded: 'The release was upgraded.',
  UpgradeFailed: 'The release could not be upgraded.',
  TestSucceeded: 'The tests of the chart passed.',
  TestFailed: 'The tests of the chart failed.',
  RollbackSucceeded: 'The release was rolled back after a failed upgrade.',
  RollbackFailed: 'The release could not be rolled back.',
  UninstallSucceeded: 'The release was uninstalled.',
  UninstallFailed: 'The release could not be uninstalled.',
  AwaitingTests: 'The release has not been tested yet.',
  ArtifactFailed: 'The artifact of the source could not be loaded.',
  SourceNotReady: 'The source or chart has no artifact yet.',
  ChartMutateError: 'The chart version does not match the tag of its OCI artifact.',
  ValuesError: 'The values could not be composed, or the chart rejects them.',
  DependencyNotReady: 'A dependency is not ready.',
  DriftDetected: 'Live objects differ from the release.',
  NoDriftDetected: 'Live objects match the release.',
  [OBJECTS_MISSING]: 'Objects of the release were deleted, and nothing creates them again.',
  RESTClientError:
    'No client for the target cluster could be created, e.g. because the kubeconfig is missing or invalid.',
  ResourceManagerError: 'Objects on the target cluster could not be managed.',
  FactoryError: "Helm's storage could not be initialized.",
  NamespaceConflict: 'A label or annotation for the target namespace has another value, which somebody else set.',
  NamespaceMetadataInvalid: 'The labels or annotations for the target namespace are not valid.',
  NamespaceNotReady: 'The target namespace does not exist, or is being deleted, and is to get labels or annotations.',
  ReleaseTakenOver: 'The HelmRelease of the release no longer exists, and this one continues it.',
  TargetTaken:
    'Another HelmRelease of the namespace has the same release already, or another Kustomization the same objects.',
  ChartRenamed: 'The chart has another name than that of the release, which would be uninstalled.',
  [RELEASE_HELD]:
    'Another HelmRelease of the namespace has the release, or its last action may still run: it is retried after that.',
  StateError: 'The release belongs to a HelmRelease of another namespace or host, or its state could not be read.',
  ReconcileError: 'The reconciliation failed.',
  AccessDenied: 'A source, or a dependency with a `readyExpr`, is in another namespace, which is forbidden.',
  Forbidden: 'The cluster denies the action to the ServiceAccount or credential; the message names both.',
  InvalidCELExpression: 'A CEL expression is invalid.',
  RetriesExceeded: 'No retries are left.',
  MissingRollbackTarget: 'There is no earlier release to roll back to.',
  HealthCheckCanceled: 'Waiting was canceled because the object or its source changed, or it is suspended or deleted.',
  HealthCheckFailed: 'Some objects are not healthy.',
  PendingRelease: 'An earlier action was interrupted; it counts as failed.',
  ReconciliationSucceeded: 'The revision was applied.',
  ReconciliationFailed: 'The revision could not be applied.',
  BuildFailed: 'The manifests could not be built.',
  DryRun: 'Nothing was written yet, because the annotation gitops.kubesphere.io/dry-run is set.',
  DryRunSucceeded: 'The cluster accepts the changes of the dry run; nothing was written.',
  DryRunFailed: 'The cluster rejects some objects of the dry run; nothing was written.',
  PruneFailed: 'Some objects could not be deleted.',
  [OWNER_UNKNOWN]: 'The Application or the namespace of a deleted object could not be read: it decides what stays.',
  FeatureGateDisabled: 'The spec needs a feature that is disabled.',
  URLInvalid: 'The URL is not valid.',
  AuthenticationFailed: 'The credentials are missing or invalid.',
  VerificationError: 'The signature is missing or invalid.',
  GitOperationFailed: 'The Git repository could not be fetched.',
  InvalidCommitSignature: 'The commit is not signed by a key that is trusted.',
  InvalidTagSignature: 'The tag is not signed by a key that is trusted.',
  InvalidGitObject: 'The tag is not signed.',
  InvalidProviderConfiguration: 'The provider of a GitRepository needs a Secret.',
  InvalidVerificationMode: 'A tag is to be verified, but the reference of the GitRepository is none.',
  RepositoryTooLarge: 'The commit has more files or bytes than are allowed.',
  IndexationFailed: 'The index of the Helm repository could not be fetched.',
  ReadOperationFailed: 'No tag of the OCI repository is in the version range.',
  OCIArtifactPullFailed: 'The OCI artifact could not be fetched.',
  OCIArtifactLayerOperationFailed: 'The layer of the OCI artifact could not be extracted.',
  BucketOperationFailed: 'The bucket could not be fetched.',
  InvalidSTSConfiguration: 'Temporary keys of a bucket are asked for in a way that its provider does not have.',
  ChartPullSucceeded: 'The chart was fetched.',
  ChartPullError: 'The chart could not be fetched.',
  ChartPackageSucceeded: 'The chart was packaged.',
  ChartPackageError: 'The chart could not be packaged.',
  InvalidChartReference: 'The chart, or that version of it, does not exist in the source.',
  StorageOperationFailed: 'The artifact could not be stored.',
  IncludeUnavailable: 'The includes of a repository lead back to itself.',
  NotFound: 'An included repository does not exist.',
  NoArtifact: 'An included repository has no artifact.',
  CopyFailure: 'An included artifact could not be copied.',
  IllegalPath: 'A path leads out of the repository.',
  ArtifactUpToDate: 'The artifact is up to date with the source.',
  ActionFailed: 'An action failed for another reason.',
  KubeConfigInvalid: 'The kubeconfig of the target cluster is invalid, or contains something that is not allowed.',
  ClusterUnreachable: 'The target cluster is unreachable; it is retried, and other clusters are not affected.',
  ClusterReplaced: 'The kubeconfig leads to another cluster than before; nothing is written or uninstalled there.',
  KubeConfigSecretNotFound: 'The Secret with the kubeconfig of the target cluster does not exist.',
  NoKindMatch: 'The target cluster does not know the kind of an object: its CRD is missing.',
  InvalidManifest: 'The chart rendered something that is not a Kubernetes object.',
  RecreateTimeout: 'An object that must be recreated has not been deleted in time.',
  InvalidReference: 'The reference of a GitRepository is not valid in git.',
  SourceUnavailable: 'The source of the chart does not exist.',
  NoSourceArtifact: 'The source of the chart has not been fetched yet.',
  ArchiveInvalid: 'An archive contains links, devices, or paths that lead out of it.',
  ArchiveTooLarge: 'An archive contains more files or bytes than are allowed.',
  ArtifactPathInvalid: 'The name of an artifact leads out of the store.',
  MemoryExceeded: 'A program (helm, kustomize, git) used more memory than is allowed.',
  OutputTooLarge: 'A program printed more than is allowed.',
  ProcessFailed: 'A program (helm, kustomize, git) could not be run, or was killed.',
  ProcessTimeout: 'A program (helm, kustomize, git) took too long and was killed.',
  FeatureNotSupported: 'The spec asks for something that the embedded engine does not support.',
  ClientSideApplyRefused: 'The spec asks for client-side apply, but the embedded engine only uses server-side apply.',
  InternalError: 'A bug in the controller; its log has the details.',
  SourceNotFound: 'The source does not exist.',
  DependencyBuildError: 'The dependencies of the chart could not be fetched.',
  MetadataPatchError: 'The metadata of the chart could not be patched.',
  ValuesFilesError: 'The values files of the chart could not be merged.',
  ArchiveOperationFailed: 'The archive could not be created.',
  NewRevision: 'The source has a newer revision.',
  TokenNotFound: 'The Secret of a Receiver, or its key `token`, is missing.',
  ValidationFailed: 'The spec of a Receiver is not valid.',
} as const;
