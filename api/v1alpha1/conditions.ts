/** States of one destination, in the order in which they are decided. */
export const DESTINATION_STATES = [
  'Deleting',
  'Suspended',
  'Unreachable',
  'Stalled',
  'Failed',
  'Drifted',
  'Progressing',
  'Pending',
  'Ready',
] as const;
export type DestinationState = (typeof DESTINATION_STATES)[number];

/** Every reason that a condition of an Application may have, and what it means to its user. */
export const APPLICATION_REASONS = {
  AllReady: 'Every destination runs what the Application says.',
  AccessDenied:
    'A source or template is in another namespace: not shared, or the controller runs with --no-cross-namespace-refs.',
  ChartAndTemplate: 'Both chart and template are given: remove one of them.',
  ChartMissing: 'Neither chart nor template is given.',
  ClientSideApplyRefused: 'Client-side apply was asked for: Fairlead applies on the server only.',
  ConfigAmbiguous: 'Both helmRelease and kustomization are given: keep one of them.',
  ConfigMissing: 'Neither helmRelease nor kustomization is given.',
  Deleting: 'The Application is deleted and waits for its children; the message names them.',
  DeployEmpty: 'No destination is given.',
  DestinationMissing: 'An entry names no destination.',
  DestinationsFailed: 'At least one destination failed; the message names them, a very long one without its middle.',
  DestinationsNotReady: 'At least one destination is on its way.',
  DestinationUnclear: 'Entries of files changed so much at once that it cannot be told which Kustomization is whose.',
  DuplicateDestination: 'Two entries mean the same release on the same cluster.',
  EngineNotAvailable: 'This controller has no engine for the kind of the Application.',
  InvalidName: 'A name is longer than its object may have, or has characters that it must not have.',
  InvalidStrategy: 'A strategy has no name, or a pause between tries that only goes with another one.',
  InvalidVersion: 'The chart version is neither a version nor a range.',
  KindChanged: 'spec.kind is not the one that the Application began with.',
  KindUnclear: 'spec.kind is missing and cannot be told from the rest.',
  Pending: 'There is no report of the destination yet.',
  Progressing: 'The Application is being brought to its destinations.',
  ReleaseConflict: 'Another object holds the release, or an older valid Application wants it.',
  SourceMissing: 'No source is given for the chart.',
  SourceNotFound: 'The source does not exist.',
  SourceUnsuitable: 'The source is of a kind that cannot hold what the Application asks for.',
  Suspended: 'Every destination is suspended.',
  TemplateConflict: 'TemplateSaved: the template of that name is not the one that this Application saved.',
  TemplateInvalid: 'The template is broken; the message says how.',
  TemplateNotFound: 'The template, or the revision of it, does not exist.',
  TemplateNotSaved: 'TemplateSaved: the Application has nothing that can be saved as a template; the message says why.',
  TemplateSaved: 'TemplateSaved: the Application is saved as a template.',
  ValuesInvalid: 'Values do not fit the JSON schema of the template.',
  VerifyUnsupported: 'The signers of a chart are named, for which a HelmRelease has no field.',
} as const satisfies Readonly<Record<string, string>>;
export type ApplicationReason = keyof typeof APPLICATION_REASONS;

/** @internal Reasons of the events on an Application that are not those of its condition Ready. */
export const APPLICATION_EVENTS = {
  Abandoned: 'A child was let go without an uninstall, as the annotation asked.',
  Adopted: 'A child that somebody else made now belongs to the Application.',
  Created: 'A child was created, and why.',
  Deleted: 'A child was deleted, and why.',
  DoubleSuspended: 'A child is suspended before it goes, since another one keeps its release.',
  DestinationReady: 'A destination became Ready while the Application as a whole said what it said before.',
  DestinationDrifted:
    'What a destination runs was changed on its cluster, while the Application as a whole said what it said before.',
  DestinationFailed: 'A destination failed, while the Application as a whole said what it said before.',
  DestinationStalled:
    'A destination failed and is not tried again, while the Application as a whole said what it said before.',
  DestinationUnreachable:
    'The cluster of a destination stopped answering, while the Application as a whole said what it said before.',
  Moving: 'A release is about to move to another name or namespace: the old one is removed first.',
  RequestFailed: 'What the Application was asked for could not be passed on to a child or a source; it is tried again.',
  Removing: 'A release is about to be removed, and why.',
  Spared: 'A child that no entry wants is left as it is, and why.',
  SuspendedChildDeleted: 'A suspended child is deleted: what it installed stays.',
  TemplateReleased: 'The template that the Application had saved follows it no longer.',
  TemplateSaved: 'The template that the Application saves was made or changed.',
  Updated: 'A child was changed, and why.',
} as const satisfies Readonly<Record<string, string>>;

/** Every reason that a condition of a HelmTemplate or KustomizationTemplate may have. */
export const TEMPLATE_REASONS = {
  Valid: 'The template can be used.',
  AccessDenied: 'The source is in another namespace and the controller runs with --no-cross-namespace-refs.',
  InvalidSchema: 'valuesSchema is no JSON schema, refers to itself without end, or takes longer than 3 s.',
  InvalidSelector: 'The selector of sharedWith is wrong.',
  InvalidVersion: 'The chart version is neither a version nor a range.',
} as const satisfies Readonly<Record<string, string>>;
export type TemplateReason = keyof typeof TEMPLATE_REASONS;
