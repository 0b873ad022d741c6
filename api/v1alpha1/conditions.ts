import type { BadState } from './states.js';

/** Every reason that a condition of an Application may have, and what it means to its user. */
export const APPLICATION_REASONS = {
  AllReady: 'Every destination runs what the Application specifies.',
  ApprovalRequired: 'RemovalsHeld: more releases would be removed, or uninstalled first, than maxRemovals allows.',
  AccessDenied:
    'A source or template in another namespace is not shared, or --no-cross-namespace-refs forbids it; or the grant of a cluster does not allow the namespace; or kubeConfig names a Secret that was made for a cluster.',
  ChartAndTemplate: 'Both chart and template are set: remove one of them.',
  ChartMissing: 'Neither chart nor template is set.',
  ClientSideApplyRefused: 'The spec asks for client-side apply, but Fairlead only uses server-side apply.',
  ClusterChanged: 'The cluster is reached in another way than its children; the message says how.',
  ClusterNotFound: 'The cluster does not exist, or is not granted to the namespace of the Application.',
  ClusterRefInvalid: 'clusterRef is not a valid reference.',
  ClusterReplaced:
    'The kubeconfig of a cluster leads to another cluster than its children are for; the message has the ways out.',
  ClusterSelectorInvalid: 'clusterSelector is empty, or a requirement is not valid.',
  ConfigAmbiguous: 'Both helmRelease and kustomization are set: remove one of them.',
  ConfigMissing: 'Neither helmRelease nor kustomization is set.',
  Deleting: 'The Application is being deleted and waits for its children; the message names them.',
  DeployEmpty: 'No destination is listed.',
  DestinationAmbiguous: 'A destination names clusters in more than one way.',
  DestinationMissing: 'An entry has no destination.',
  DestinationsFailed:
    'At least one destination failed; the message names them and is shortened in the middle if very long.',
  DestinationsNotReady: 'At least one destination is still progressing.',
  DestinationUnclear:
    'Too many kustomization entries changed at once to tell which Kustomization belongs to which entry.',
  DuplicateDestination: 'Two entries define the same release on the same cluster.',
  EngineNotAvailable: 'This controller has no engine for spec.kind.',
  FieldConflict: 'Two fields say the same thing, or one asks for what Flux cannot do; the message names them.',
  InvalidName: 'A name is too long or contains characters that are not allowed.',
  InvalidSource: 'The inline source is not valid, or asks for what Flux cannot do; the message names the field.',
  InvalidStrategy: 'A strategy has no name, or sets a retryInterval that it does not support.',
  InvalidVersion: 'The chart version is neither a valid version nor a valid range.',
  KindChanged: 'spec.kind was changed after the Application was created.',
  KindUnclear: 'spec.kind is missing and cannot be inferred from the rest of the spec.',
  MaxRemovalsInvalid: 'maxRemovals is neither a number nor a percentage.',
  NamespaceMetadataInvalid: 'namespaceLabels or namespaceAnnotations are not valid; the message names the field.',
  NoClusterMatches: 'There is no destination: no cluster matches the selectors; the message names them.',
  OverridesInvalid:
    'Overrides name no clusters, or an entry with overrides or a valuesTemplate is on no cluster of the inventory.',
  Pending: 'The destination has not reported a status yet.',
  Progressing: 'The Application is being rolled out.',
  Pinned:
    'Pinned: the Application, or a cluster of it, stays at an earlier revision; the message says how to end that.',
  ReadyInvalid: 'ready of an entry is not an expression that returns true or false.',
  ReleaseConflict:
    'Another object owns the release, or applies the same to the same place, or an older valid Application claims it.',
  RolledBack: 'RolledOut: a stage, or the whole rollout, went back to an earlier revision; the message says why.',
  RolledOut: 'RolledOut: every destination has the revision.',
  RolloutAwaitingApproval:
    'RolledOut: a stage waits for an approval, e.g. as an earlier one proves nothing; the message has the command.',
  RolloutAwaitingSource:
    'RolledOut: it is not known yet what a version range means; the message names it. What runs is left unchanged.',
  RolloutHalted:
    'RolledOut: more destinations of a stage failed than failureBudget allows, or all; nothing else is updated.',
  RolloutInvalid: 'spec.rollout is not valid; the message names field and stage.',
  RolloutPaused: 'RolledOut: spec.rollout.paused or the annotation pause-rollout is set.',
  RolloutProgressing: 'RolledOut: not every destination has the revision yet; the message names the stage.',
  RevisionNotKept:
    'The revision cannot be kept, so nothing is updated to it; the message has the object and what the API server says.',
  RevisionUnknown:
    'Pinned, Ready: the revision is not kept, or the annotation is not valid; what runs is left unchanged.',
  SourceAmbiguous: 'A source or chart is specified twice: keep one of them.',
  SourceConflict: 'A source has the name of the one that the inline source needs, and Fairlead did not create it.',
  SourceMissing: 'The chart has no source.',
  SourceNotFound: 'The source does not exist, or a Secret of an inline one.',
  SourceUnsuitable: 'The kind of source cannot provide what the Application asks for.',
  Suspended: 'Every destination is suspended, and the last status of none is a failure.',
  TemplateConflict: 'TemplateSaved: a template of that name exists, and this Application did not create it.',
  TemplateInvalid: 'The template is invalid; the message says why.',
  TemplateNotFound: 'The template, or that revision of it, does not exist.',
  TemplateNotSaved: 'TemplateSaved: the Application cannot be saved as a template; the message says why.',
  TemplateSaved: 'TemplateSaved: the Application is saved as a template.',
  TooManyDestinations: 'The entries select more destinations than one Application may have.',
  Unmanaged: 'Every destination was installed once, and is not managed any more.',
  ValuesInvalid:
    'The values do not match the JSON schema of the template, nest too deep, or cannot be made from the facts of the cluster.',
  VerifyUnsupported: 'The spec names the signers of a chart, but a HelmRelease has no field for them.',
} as const satisfies Readonly<Record<string, string>>;
export type ApplicationReason = keyof typeof APPLICATION_REASONS;

/** @internal Reasons of the events on an Application that are not those of its condition Ready. */
export const APPLICATION_EVENTS = {
  Abandoned: 'The finalizer of a child was removed without an uninstall, as the annotation asked.',
  Adopted: 'An existing object was adopted as a child of the Application.',
  Created: 'A child was created; the message says why.',
  Deleted: 'A child was deleted; the message says why.',
  DoubleSuspended: 'A child was suspended before its deletion, because what it installed stays; the message says why.',
  DestinationReady: 'A destination became Ready; Ready of the Application did not change.',
  DestinationDrifted: 'Objects of a destination were changed on its cluster; Ready of the Application did not change.',
  DestinationFailed: 'A destination failed; Ready of the Application did not change.',
  DestinationStalled: 'A destination failed and is not retried; Ready of the Application did not change.',
  DestinationUnreachable: 'The cluster of a destination became unreachable; Ready of the Application did not change.',
  DryRun: 'Nothing was written yet, because the annotation gitops.kubesphere.io/dry-run is set.',
  DryRunFailed: 'The cluster rejects some children of the dry run; nothing was written.',
  DryRunSucceeded: 'The changes of the dry run would be accepted; nothing was written.',
  Halted: 'A child was suspended, because its cluster was replaced; the message says how to go on.',
  InstalledOnce: 'A destination with mode Once was installed; it is not updated, healed or uninstalled from now on.',
  Moving: 'A release gets another name, namespace or chart: the message says what becomes of what it deployed before.',
  Offered: 'Another Application may take a child over as it is; the message says which one.',
  RemovalsHeld:
    'Releases that would be removed, or uninstalled first, wait for an approval; the message says how to give it.',
  RequestFailed: 'A request annotation could not be passed on to a child or a source; it is retried.',
  Removing: 'A release will be removed; the message says why.',
  Resumed: 'A child that was suspended because its cluster was replaced is reconciled again.',
  SourceFailed: 'The source for an inline one could not be created; it is retried.',
  Spared: 'A child without an entry is left unchanged; the message says why.',
  SuspendedChildDeleted: 'A suspended child was deleted: what it installed stays.',
  TemplateReleased: 'The template that the Application saved no longer follows it.',
  TemplateSaved: 'The template that the Application saves was created or updated.',
  Updated: 'A child was updated; the message says why.',
} as const satisfies Readonly<Record<string, string> & Record<`Destination${BadState | 'Ready'}`, string>>;

/** Every reason that a condition of a HelmTemplate or KustomizationTemplate may have. */
export const TEMPLATE_REASONS = {
  Valid: 'The template can be used.',
  AccessDenied: 'The source is in another namespace, which --no-cross-namespace-refs forbids.',
  InvalidSchema: 'valuesSchema is not a valid JSON schema, is infinitely recursive, or takes longer than 3 s to check.',
  InvalidSelector: 'The selector of sharedWith is invalid.',
  InvalidVersion: 'The chart version is neither a valid version nor a valid range.',
} as const satisfies Readonly<Record<string, string>>;
export type TemplateReason = keyof typeof TEMPLATE_REASONS;

/** Every reason that a condition of a ClusterGrant may have. */
export const CLUSTER_GRANT_REASONS = {
  Granted: 'The grant is in force; the message counts its clusters and namespaces.',
  CredentialFailed: 'A kubeconfig could not be made or renewed; the message names cluster, namespace and cause.',
  CredentialUnclear: 'Either serviceAccount is missing, or it is set together with SharedCredential.',
  InvalidReference: 'A cluster in names is not a valid reference; the message says why.',
  InvalidSelector: 'A selector is empty, invalid, or missing although its namespaces are set.',
  InvalidTargetNamespace: 'targetNamespaces contains `*` and names.',
  NothingGranted:
    'No cluster matches, or no namespace; the message names the field. Unknown while clusters cannot be read.',
  SelectionMissing: 'Neither names nor a selector chooses clusters, or namespaces.',
} as const satisfies Readonly<Record<string, string>>;
export type ClusterGrantReason = keyof typeof CLUSTER_GRANT_REASONS;

/** Reasons of Events on the object that describes a cluster. */
export const CLUSTER_EVENTS = {
  ClusterNotAsked: 'No new credential was requested from the cluster yet; the message says why.',
  ClusterReachable: 'The cluster answers again.',
  ClusterReplaced: 'The credential leads to another cluster than before; the message has the UIDs of kube-system.',
  ClusterUnreachable: 'The cluster stopped to answer; the message says why.',
} as const;
export type ClusterEvent = keyof typeof CLUSTER_EVENTS;
