import omit from 'lodash/omit.js';
import type Type from 'typebox';
import { flag, type Frozen, integer, list, object, oneOf, optional, text, time } from '#api/schema.js';
import { DestinationView, itemFields } from './application.js';
import { inOpenApi, refTo } from './parts.js';
import { COMPARED_STATES, OBJECT_STATES } from './words.js';

/** Answers about what is on clusters. Unknown texts are empty. */

const problem = text('What could not be read, and why; empty if all was read.');

const named = {
  apiVersion: text('API version.'),
  kind: text('Kind.'),
  namespace: text('Namespace; empty for an object of the whole cluster.'),
  name: text('Name.'),
};

const BlamedContainer = object('The container that keeps a pod from being ready, if its status names one.', {
  container: text('Name.'),
  isRestarting: flag('True if its last run is over, and the next one, which has printed nothing, did not begin.'),
});
export type BlamedContainer = Frozen<typeof BlamedContainer>;

const ofObject = {
  ...named,
  state: oneOf('State in one word.', OBJECT_STATES),
  message: text('Why it is not ready.'),
  containers: list(
    'Containers of a pod: first the one whose output is shown by default. Other objects have none.',
    text('Name.'),
  ),
  blamed: optional(BlamedContainer),
};
/** An object on a cluster, and what it owns. */
export interface ObjectView extends Frozen<Type.TObject<typeof ofObject>> {
  /** ReplicaSets and Jobs are left out: what they own stands below their own owner. */
  readonly owns: readonly ObjectView[];
}

export const ObjectTree = inOpenApi(
  'ObjectOnCluster',
  object('An object on a cluster, and what it owns.', {
    ...ofObject,
    owns: list(
      'Objects that it owns. ReplicaSets and Jobs are left out: what they own stands here.',
      refTo<Type.TUnsafe<ObjectView>>({ $id: 'ObjectOnCluster' } as never), // it refers to itself
    ),
  }),
);

const DestinationTree = object('One destination and what runs there.', {
  ...DestinationView.properties,
  objects: list('Objects of the release, each with those that it owns.', refTo(ObjectTree)),
  problem,
  more: integer('Number of objects that were not read because there are too many.'),
});
export type DestinationTree = Frozen<typeof DestinationTree>;

/** The answer of `fairlead tree -o json`. */
export const TreeView = object('An Application, its releases, their objects and their pods.', {
  ...omit(itemFields, ['uid', 'createdAt', 'labels']),
  destinations: list('Destinations, worst state first.', DestinationTree),
  truncated: flag('True if the status lists only the worst destinations.'),
});
export type TreeView = Frozen<typeof TreeView>;

const revisionFields = {
  version: integer('Number.'),
  status: text('State of the revision, e.g. deployed.'),
  chart: text('Name of the chart.'),
  chartVersion: text('Version of the chart.'),
};
const helmRevision = (description: string) => object(description, revisionFields);
export type HelmRevision = Frozen<ReturnType<typeof helmRevision>>;

const ManifestObject = object('An object.', {
  ...named,
  hook: text('Events that a hook is run for, by commas; empty for other objects.'),
  yaml: text('The object as YAML; values of Secrets are *****.'),
  problem: text('Why there is no YAML.'),
});
export type ManifestObject = Frozen<typeof ManifestObject>;

const shownFields = {
  objects: list('Objects, in the order of the release; hooks are the last.', ManifestObject),
  more: integer('Number of others that are left out because there is too much, at least.'),
};
/** Objects, as far as they are shown. */
export type ShownManifest = Frozen<Type.TObject<typeof shownFields>>;

const manifestFields = {
  helm: optional(
    helmRevision('Revision of Helm: the objects are as the chart was rendered. Without it, they are as they are now.'),
  ),
  ...shownFields,
  problem,
};
/** The findings about a release. */
export type ManifestFindings = Frozen<Type.TObject<typeof manifestFields>>;

const ofDestination = { ...DestinationView.properties, application: text('Namespace and name of the Application.') };

/** The answer of `fairlead manifest -o json`. */
export const ManifestView = object('What was put at one destination, without what Secrets hold.', {
  ...ofDestination,
  ...manifestFields,
});
export type ManifestView = Frozen<typeof ManifestView>;

const ComparedField = object('A field. Without both values, they are not shown.', {
  path: text('JSON pointer into the object.'),
  wanted: optional(text('What is wanted, as JSON, shortened; absent for a field that would be removed.')),
  live: optional(text('What is there, as JSON, shortened; absent for a field that is not there.')),
});
export type ComparedField = Frozen<typeof ComparedField>;

const ComparedObject = object('An object.', {
  ...named,
  state: oneOf('What was found. unknown: it is there, but what is wanted of it is not known.', COMPARED_STATES),
  message: text('Why it could not be compared, or what should be known of it.'),
  fields: list('Fields that differ.', ComparedField),
  moreFields: integer('Number of other fields that differ; 1000 means 1000 or more.'),
});
export type ComparedObject = Frozen<typeof ComparedObject>;

const diffFields = {
  helm: optional(helmRevision('Revision of Helm: what it rendered is what is wanted.')),
  objects: list('Objects, the worst first.', ComparedObject),
  more: integer('Number of others that are not compared because there are too many, at least.'),
  note: text('What is known of what is wanted, where that is not all.'),
  problem,
};
/** The findings of a comparison at one destination. */
export type LiveDiffFindings = Frozen<Type.TObject<typeof diffFields>>;

export const LiveDiffView = object('What is wanted at one destination, and what is there, without what Secrets hold.', {
  ...ofDestination,
  ...diffFields,
});
export type LiveDiffView = Frozen<typeof LiveDiffView>;

/** One event, as `fairlead events -o json` prints it. */
const EventView = object('An event.', {
  uid: text('UID of the Event.'),
  cluster: text('Cluster; empty for events of the Application and of what belongs to it on the host.'),
  namespace: text('Namespace of the object.'),
  object: text('Kind/name.'),
  type: text('Type.'),
  reason: text('Reason.'),
  message: text('Message.'),
  count: integer('How often it was seen.'),
  lastSeen: time('When it was seen last.'),
});
export type EventView = Frozen<typeof EventView>;

const newestFields = {
  events: list('Events, the newest last.', EventView),
  more: integer('Number of older ones that are left out.'),
  moreOnHost: integer('Number of those that are of the Application and of what belongs to it on the host.'),
};
/** The newest events. */
export type NewestEvents = Frozen<Type.TObject<typeof newestFields>>;

export const FoundEvents = object('Events of an Application and of what it deployed.', {
  ...newestFields,
  problems: list('What could not be read, and why.', text('Problem.')),
});
export type FoundEvents = Frozen<typeof FoundEvents>;
