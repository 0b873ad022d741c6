import pick from 'lodash/pick.js';
import Type from 'typebox';
import { Condition } from '#api/flux/common.js';
import { kindsFor } from '#api/flux/source-kinds.js';
import type { ObjectMeta } from '#api/meta.js';
import { flag, type Frozen, integer, list, object, oneOf, optional, text, textMap, time, word } from '#api/schema.js';
import { Application, ApplicationSpec, ApplicationStatus } from '#api/v1alpha1/application.js';
import { APPLICATION_REASONS } from '#api/v1alpha1/conditions.js';
import { PENDING_REASONS } from '#api/v1alpha1/pending.js';
import { DESTINATION_STATES } from '#api/v1alpha1/states.js';
import { TEMPLATE_KINDS } from '#api/v1alpha1/template.js';
import { TemplateInUse } from '#api/v1alpha1/template-fields.js';
import { inOpenApi, nameOf, pageOf, refTo } from './parts.js';
import { APPLICATION_STATES, CHILD_KINDS, ENGINES } from './words.js';

/** Answers about Applications: each schema is the type, and its part of `/openapi.json`. Unknown texts are empty. */

const { history, removals, rollout } = ApplicationStatus.properties;
const row = ApplicationStatus.properties.destinations.items.properties;

export const DestinationView = object('One destination.', {
  name: text('Name.'),
  cluster: text('Cluster.'),
  namespace: text('Target namespace.'),
  release: text('Name of the Helm release.'),
  child: text('HelmRelease or Kustomization of the destination, as messages name it; empty if it has none.'),
  childRef: optional(nameOf('The same in parts; absent if it has none.', CHILD_KINDS)),
  state: word('State in one word.', DESTINATION_STATES),
  revision: text('Revision that runs there.'),
  message: text('Why it is in this state.'),
  dryRun: row.dryRun,
  replaced: row.replaced,
});
export type DestinationView = Frozen<typeof DestinationView>;

const fields = {
  namespace: text('Namespace.'),
  name: text('Name.'),
  kind: word('Engine; empty if it is not known.', ENGINES),
  ready: text('Ready and desired destinations, e.g. 2/3.'),
  state: oneOf('State in one word.', APPLICATION_STATES),
  reason: word('Reason of the condition Ready; empty if that was true before the newest change.', [
    ...Object.keys(APPLICATION_REASONS),
    '',
  ]),
  revision: text('Revision that runs.'),
  message: text('Message of the condition Ready.'),
  warnings: list('What to look at, although it is no problem of a destination.', text('Warning.')),
  approval: text('Value that approves removals that wait; empty if none do.'),
  rolloutState: optional(
    object('A rollout that is not complete.', {
      phase: rollout.properties.phase,
      message: text('What it waits for, or why it stopped.'),
    }),
  ),
};
const destinations = list('Destinations, worst state first.', DestinationView);

/** One Application, as `fairlead status -o json` prints it. */
export interface ApplicationView extends Frozen<Type.TObject<typeof fields>> {
  readonly destinations: readonly DestinationView[];
}

/** The fields of an Application in a list. */
export const itemFields = {
  ...fields,
  uid: text('UID.'),
  createdAt: time('Time of creation.'),
  labels: textMap('Labels.'),
};
export const ApplicationItem = object('One Application.', itemFields);
export type ApplicationItem = Frozen<typeof ApplicationItem>;

/** One destination that waits, as `fairlead pending -o json` prints it. */
export const PendingView = object('A destination that waits.', {
  application: text('Name of the Application.'),
  namespace: text('Namespace of the Application.'),
  destination: text('Name of the destination.'),
  cluster: text('Cluster.'),
  from: optional(integer('Revision of the Application that it has.')),
  to: optional(integer('Revision that it waits for.')),
  change: text('What would change.'),
  reason: word('What it waits for.', Object.keys(PENDING_REASONS)),
  message: text('The same in words.'),
  since: time('Since when.'),
});
export type PendingView = Frozen<typeof PendingView>;

const heldFields = pick(removals.properties, ['held', 'heldSince', 'clusters', 'truncated']);
const HeldRemovals = object('Removals that wait for an approval.', heldFields);
export type HeldRemovals = Frozen<typeof HeldRemovals>;

export const SharedSpec = inOpenApi('ApplicationSpec', ApplicationSpec);

/** An Application as Kubernetes has it. */
export const SharedApplication = inOpenApi(
  'Application',
  object('One application on many clusters, with its own values on each.', {
    apiVersion: text('API version.'),
    kind: text('Kind.'),
    // The API server checks what is sent.
    metadata: Type.Unsafe<ObjectMeta>({ type: 'object', description: 'Metadata of the object.' }),
    spec: refTo(SharedSpec),
    status: Application.properties.status,
  }),
);

const detail = {
  ...itemFields,
  destinations,
  resourceVersion: text('To be sent with a change, so that no other one is lost.'),
  annotations: textMap('Annotations.'),
  spec: refTo(SharedSpec),
  conditions: list('Conditions; Ready summarizes them.', Condition, { maxItems: 16 }),
  pending: list('Destinations that wait.', PendingView),
  removals: optional(HeldRemovals),
  morePending: integer('Number of others that wait.'),
  templates: list('Templates that it is made from, as its status says.', TemplateInUse),
  history,
  rollout,
};
export const ApplicationDetail = inOpenApi(
  'ApplicationDetail',
  object('One Application with everything that is known of it.', detail),
);
export type ApplicationDetail = Frozen<typeof ApplicationDetail>;

/** The state of a rollout. */
export type RolloutView = NonNullable<ApplicationDetail['rollout']>;

const May = object('What the user may do.', {
  patch: flag('True if the user may change it by actions.'),
  update: flag('True if the user may replace it.'),
  delete: flag('True if the user may delete it.'),
  listRevisions: flag('True if the user may list revisions of Applications of the namespace.'),
});
export type May = Frozen<typeof May>;

export const ReadApplication = object('One Application with everything that is known of it.', {
  ...detail,
  source: optional(
    nameOf(
      'The source that its spec names, or that is made of source.inline, unless a template provides it.',
      kindsFor('applications'),
    ),
  ),
  may: May,
});
export type ReadApplication = Frozen<typeof ReadApplication>;

export const PendingPage = pageOf('Applications with destinations that wait', PendingView, {
  more: integer('Number of others that wait, of the Applications of this page.'),
  notes: list('Why they are not known.', text('Note.')),
});
export type PendingPage = Frozen<typeof PendingPage>;

const OverviewCell = Type.Unsafe<[cluster: number, state: number, destinations: number]>(
  list('Cell.', integer('Number.'), { minItems: 3, maxItems: 3 }),
);
export type OverviewCell = Frozen<typeof OverviewCell>;

const rowFields = pick(fields, ['namespace', 'name', 'kind', 'state', 'ready', 'revision']);
const OverviewRow = object('One Application.', {
  ...rowFields,
  message: text('Why it is not Ready, the cause first, shortened.'),
  cells: list(
    'Of each cluster: its index, the index of the worst state there, and the number of destinations.',
    OverviewCell,
  ),
});
export type OverviewRow = Frozen<typeof OverviewRow>;

/** As little as a page with thousands of Applications needs. */
export const Overview = object('Applications by clusters.', {
  clusters: list('Names that cells refer to.', text('Cluster.')),
  states: list('States that cells refer to, the worst first.', word('State.', DESTINATION_STATES)),
  applications: list('Applications.', OverviewRow),
});
export type Overview = Frozen<typeof Overview>;

export const OverviewUpdate = object('What makes an overview of the one with the tag `since`.', {
  changed: list('Applications that are new, or not what they were.', OverviewRow),
  removed: list('Those that are gone.', text('NAMESPACE/NAME.')),
});
export type OverviewUpdate = Frozen<typeof OverviewUpdate>;

/** The answer to an action. */
export const Acted = object('What comes of an action.', {
  done: text('The same in words.'),
  application: refTo(ApplicationDetail),
  template: optional(nameOf('The template that it is saved as.', TEMPLATE_KINDS)),
});
export type Acted = Frozen<typeof Acted>;

export const AcceptedCluster = object('What comes of it.', {
  done: text('The same in words.'),
  object: text('Object that is annotated.'),
  clusterUid: text('UID that it accepts.'),
});
export type AcceptedCluster = Frozen<typeof AcceptedCluster>;
