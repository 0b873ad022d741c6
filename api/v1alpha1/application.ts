import type Type from 'typebox';
import { DryRun } from '../dry-run.js';
import { conditionsField } from '../flux/common.js';
import { resourceType, type KubeObject } from '../meta.js';
import { flag, integer, list, object, oneOf, openObject, optional, text, time } from '../schema.js';
import { ApplicationSpec, type FluxApplicationSpec } from './application-spec.js';
import { GITOPS_GROUP } from './labels.js';
import { DestinationWait, Pending } from './pending.js';
import { RolloutStatus } from './rollout.js';
import { DESTINATION_STATES, type DestinationState } from './states.js';
import { TemplateInUse } from './template-fields.js';

export const applicationResource = resourceType(`${GITOPS_GROUP}/v1alpha1`, 'Application', 'applications', {
  hasSpec: true,
});

const stateCounts = Object.fromEntries(
  DESTINATION_STATES.map((state) => [state.toLowerCase(), optional(integer(`Destinations that are ${state}.`))]),
) as Record<Lowercase<DestinationState>, Type.TOptional<Type.TInteger>>;

const RemovalsCounted = object('Removals within five minutes.', {
  until: time('They count until then, which is at least an hour.'),
  ran: integer('Number of releases of selectors before them.'),
  removed: integer('Number of releases that were removed.'),
});

const DestinationRow = object('Observed state of one destination.', {
  name: text('Name of the entry, or the key of its destination.'),
  cluster: optional(text('Kubeconfig Secret of the cluster; host for the cluster of the Application.')),
  namespace: optional(text('Target namespace.')),
  release: optional(text('Name of the Helm release; not set for a kustomization.')),
  child: optional(
    object('HelmRelease or Kustomization of the destination, in the namespace of the Application.', {
      kind: text('Kind of the child.'),
      name: text('Name of the child.'),
    }),
  ),
  state: oneOf('State of the destination.', DESTINATION_STATES),
  revision: optional(text('Revision that runs there.')),
  message: optional(text('Why the destination is in this state.')),
  since: optional(time('Since when it is in this state; not set if that is not known.')),
  stage: optional(text('Stage of the rollout that it is in.')),
  dryRun: optional(
    flag('True if it is Suspended only because its child is in a dry run; deleting that child uninstalls.'),
  ),
  wait: optional(DestinationWait),
  replaced: optional(
    object('Another cluster answers than the one that the destination is for: nothing is done there.', {
      object: object('Object that describes the cluster.', {
        apiGroup: optional(text('API group; not set for a Secret.')),
        kind: text('Kind.'),
        namespace: optional(text('Namespace; not set for a cluster of KubeSphere.')),
        name: text('Name.'),
      }),
      recorded: optional(text('UID of the namespace kube-system of the cluster that the destination is for.')),
      found: text('That of the cluster that answers.'),
    }),
  ),
});
type DestinationRow = Type.Static<typeof DestinationRow>;

const SelectorStatus = object('What the clusterSelector of one entry chose.', {
  entry: text('Path of the entry in the spec.'),
  matched: integer('Number of clusters that match.'),
  excluded: optional(
    list(
      'Clusters with the labels that are excluded.',
      object('A cluster.', { cluster: text('Name of the cluster.'), why: text('Why it is excluded.') }),
      { maxItems: 50 },
    ),
  ),
});
type SelectorStatus = Type.Static<typeof SelectorStatus>;

/** An item of `status.sources` */
export const FloatingSource = object(
  'Source or version range of the Application whose meaning changes, and what it means.',
  {
    kind: text('Kind of the source.'),
    namespace: text('Namespace of the source.'),
    name: text('Name of the source.'),
    chart: optional(text('Name of the chart.')),
    version: optional(text('Range of versions of the chart.')),
    interval: optional(text('Interval at which a newer version is looked for.')),
    revision: optional(text('What it means on all clusters of the rollout.')),
    available: optional(text('What it means now, if that waits for the end of the rollout.')),
    message: optional(text('Why it is not known what it means now.')),
  },
);
export type FloatingSource = Type.Static<typeof FloatingSource>;

export const ApplicationStatus = object('Observed state of the Application.', {
  observedGeneration: optional(integer('Last generation that was reconciled.')),
  conditions: conditionsField('Application'),
  warnings: optional(
    list('What to look at although nothing failed; at most eleven.', text('Warning.'), { maxItems: 100 }),
  ),
  lastHandledReconcileAt: optional(text('Last value of reconcile.fluxcd.io/requestedAt that was passed on.')),
  lastHandledForceAt: optional(text('Last value of reconcile.fluxcd.io/forceAt that was passed on.')),
  lastHandledResetAt: optional(text('Last value of reconcile.fluxcd.io/resetAt that was passed on.')),
  kind: optional(oneOf('Engine that the Application was created with.', ['fluxcd', 'argocd'])),
  summary: optional(
    object('Number of destinations by state; the states add up to desired.', {
      desired: integer('Number of desired destinations.'),
      ready: text('Ready and desired destinations, e.g. 2/3.'),
      states: optional(object('Number of destinations in each state.', stateCounts)),
    }),
  ),
  revision: optional(text('Revision that runs everywhere, or the lowest one and the number of others.')),
  revisions: optional(
    list('Different revisions that run, lowest first; at most ten.', text('Revision.'), { maxItems: 10 }),
  ),
  template: optional(text('Templates in use, with their revisions, for people.')),
  templates: optional(list('Templates in use.', TemplateInUse, { maxItems: 1_001 })),
  destinations: optional(list('Destinations, worst state first.', DestinationRow, { maxItems: 1_000 })),
  truncated: optional(flag('True if not all destinations are listed.')),
  fluxApp: optional(
    object('State of the children, for the console.', {
      helmReleaseStatus: optional(openObject('Status of each HelmRelease, by destination.')),
      kustomizationStatus: optional(openObject('Status of each Kustomization, by destination.')),
      omitted: optional(text('Why the two fields above are omitted, if they are.')),
    }),
  ),
  clusters: optional(
    object('What clusterSelector of the entries chose.', {
      matched: integer('Number of matches: a cluster that two entries select counts twice.'),
      excluded: integer('Number of clusters with the labels that are excluded.'),
      selectors: list('Entries with a clusterSelector.', SelectorStatus, { maxItems: 100 }),
      truncated: optional(flag('True if not all excluded clusters are listed.')),
    }),
  ),
  removals: optional(
    object('Releases that are removed because clusters no longer match.', {
      counted: optional(
        list('Removals without an approval that count, in the order of time.', RemovalsCounted, { maxItems: 20 }),
      ),
      allowed: optional(integer('Number of releases that may be removed in an hour without an approval.')),
      held: optional(integer('Number of releases that wait for an approval.')),
      heldSince: optional(time('Since when exactly these releases wait.')),
      waiting: optional(
        list('Releases that waited and may still be removed.', text('Hash of a child.'), { maxItems: 10_000 }),
      ),
      most: optional(
        integer('The most that waited since removals began to wait: fewer are not within a limit that this exceeds.'),
      ),
      ran: optional(integer('Releases of selectors that there were then, of which a limit is a percentage.')),
      approval: optional(text('Value of the annotation gitops.kubesphere.io/approve-removals that approves them.')),
      approved: optional(
        list('Releases that are approved and not removed yet.', text('Hash of a child.'), { maxItems: 10_000 }),
      ),
      clusters: optional(list('Clusters of the releases that wait.', text('Name of the cluster.'), { maxItems: 50 })),
      truncated: optional(flag('True if not all clusters are listed.')),
    }),
  ),
  history: optional(
    object('Revisions of the Application, if revisionHistoryLimit is set.', {
      revision: integer('Revision of what the spec says now.'),
      id: optional(text('Number and digest of that revision, by which annotations name it.')),
      pinned: optional(text('Revisions that the Application or single clusters are pinned to.')),
    }),
  ),
  rollout: optional(RolloutStatus),
  pending: optional(Pending),
  sources: optional(
    list('With spec.rollout: version ranges, and what they mean.', FloatingSource, { maxItems: 1_001 }),
  ),
  dryRun: optional(DryRun),
  argoApp: optional(text('Status of the Argo CD application, as JSON.')),
});
export type ApplicationStatus = Type.Static<typeof ApplicationStatus>;

export const Application = object('One application on many clusters, with its own values on each.', {
  spec: ApplicationSpec,
  status: optional(ApplicationStatus),
});
export type Application = KubeObject & Type.Static<typeof Application>;

/** The spec of an Application at one time, with its templates merged. */
export interface RevisionContent {
  readonly spec: FluxApplicationSpec;
  /** The templates that were merged, by the path of the entry. */
  readonly templates: Readonly<Record<string, TemplateInUse>>;
}

/** apps/v1 ControllerRevision, as the history of an Application. */
export interface ApplicationRevision extends KubeObject {
  readonly data: RevisionContent;
  /** Counts up from 1. */
  readonly revision: number;
}

export { ApplicationSpec, FluxApplicationSpec, HelmReleaseConfig } from './application-spec.js';
