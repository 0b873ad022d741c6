import type Type from 'typebox';
import { type Frozen, integer, list, object, oneOf, text, textMap, word } from '#api/schema.js';
import { DESTINATION_STATES } from '#api/v1alpha1/states.js';
import { pageOf } from './parts.js';
import { CLUSTER_STATES, LISTED_SOURCES, SOURCE_STATES, type SourceState } from './words.js';

/** Answers about clusters, and about sources. Unknown texts are empty. */

const facts = {
  apiGroup: text('API group of the object that describes it.'),
  kind: text('Kind of that object; empty if only destinations name the cluster.'),
  namespace: text('Namespace of that object; empty if it has none.'),
  name: text('Name.'),
  version: text('Version of Kubernetes.'),
  state: oneOf('State in one word.', CLUSTER_STATES),
  message: text('Why.'),
  labels: textMap('Labels, which selectors match.'),
};

/** One cluster, as `fairlead clusters -o json` prints it. */
export interface ClusterView extends Frozen<Type.TObject<typeof facts>> {
  /** Applications with children for it, as `namespace/name`, sorted. */
  readonly usedBy: readonly string[];
}

const ClusterUse = object('A name, and the Applications that use it.', {
  name: text('Name; with the namespace for Applications of another one.'),
  states: list(
    'The worst state first.',
    object('Applications whose worst state there is this one.', {
      state: oneOf('State.', DESTINATION_STATES),
      applications: integer('Number of them.'),
    }),
  ),
});
export type ClusterUse = Frozen<typeof ClusterUse>;

const ClusterItem = object('One cluster, and what runs there as far as the user may see it.', {
  ...facts,
  applications: integer('Number of Applications with destinations there.'),
  destinations: integer('Number of these destinations.'),
  worst: oneOf('Worst state of them; empty if there are none.', [...DESTINATION_STATES, '']),
  why: text('What a destination in this state says.'),
  names: list('What destinations call it.', ClusterUse),
  usedBy: list('namespace/name of the first of these Applications.', text('Application.')),
  moreUsedBy: integer('Number of others, which are left out.'),
});
export type ClusterItem = Frozen<typeof ClusterItem>;

/** The objects that could not be read. */
const gaps = {
  unread: list('Whose clusters the user may not list, or not in all namespaces.', text('Project.')),
  leftOut: list('Namespaces that were not asked, because there are too many; the first ones.', text('Namespace.')),
  moreLeftOut: integer('Number of others.'),
};
export type ClusterGaps = Frozen<Type.TObject<typeof gaps>>;

export const ClusterPage = pageOf('clusters', ClusterItem, gaps);

const sourceKind = word('Kind.', LISTED_SOURCES);

const SourceItem = object('One source.', {
  kind: sourceKind,
  namespace: text('Namespace.'),
  name: text('Name.'),
  state: oneOf('State in one word.', SOURCE_STATES),
  message: text('Message of the condition Ready.'),
  revision: text('Revision of the artifact; of a HelmChart, the version of its chart.'),
  url: text('URL, without user, password and query, which may be credentials.'),
  chart: text('Chart of a HelmChart.'),
  source: text('KIND/NAME that a HelmChart is from.'),
});
export type SourceItem = Frozen<typeof SourceItem>;

export const SeenSources = object('Sources.', {
  items: list('By kind and name.', SourceItem),
  unread: list('Kinds that the user may not list.', sourceKind),
  truncated: list('Kinds of which only the first 500 are there.', sourceKind),
});
export type SeenSources = Frozen<typeof SeenSources>;

/** An object that uses a source, as messages name it. */
export interface UserView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One source, as `fairlead source -o json` prints it. */
export interface SourceView extends UserView {
  readonly state: SourceState;
  /** Reason of the condition Ready. */
  readonly reason: string;
  readonly message: string;
  readonly revision: string;
  /** Time at which the artifact was stored, RFC 3339. */
  readonly storedAt: string;
  /** By kind, namespace and name. */
  readonly usedBy: readonly UserView[];
}
