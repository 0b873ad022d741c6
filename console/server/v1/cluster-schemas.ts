import Type from 'typebox';
import { integer, list, object, optional, text, textMap } from '#api/schema.js';
import { answers, onNamespace, pageOf, query as ofApplications } from './schemas.js';

/** The schemas of the routes about clusters. */

const query = Type.Object({
  ...ofApplications.properties,
  sort: optional(
    text('trouble, name, namespace, kind, state, worst or applications; with a leading - to descend. Default: name.'),
  ),
  fieldSelector: optional(
    text('FIELD=VALUE or FIELD!=VALUE, by commas: metadata.name, metadata.namespace, kind, state, worst.'),
  ),
});

const Cluster = object('One cluster.', {
  apiGroup: text('API group of the object that describes it.'),
  kind: text('Kind of that object; empty if only destinations name the cluster.'),
  namespace: text('Namespace of that object; empty if it has none.'),
  name: text('Name.'),
  version: text('Version of Kubernetes.'),
  state: text('Ready, NotReady, Unknown or Paused.'),
  message: text('Why.'),
  labels: textMap('Labels, which selectors match.'),
  applications: integer('Number of Applications with destinations there.'),
  destinations: integer('Number of these destinations.'),
  worst: text('Worst state of them; empty if there are none.'),
  why: text('What a destination in this state says.'),
  names: list(
    'What destinations call it.',
    object('A name, and the Applications that use it.', {
      name: text('Name; with the namespace for Applications of another one.'),
      states: list(
        'The worst state first.',
        object('Applications whose worst state there is this one.', {
          state: text('State.'),
          applications: integer('Number of them.'),
        }),
      ),
    }),
  ),
  usedBy: list('namespace/name of the first of these Applications.', text('Application.')),
  moreUsedBy: integer('Number of others, which are left out.'),
});

const Clusters = pageOf('clusters', Cluster, {
  unread: list('Whose clusters the user may not list, or not in all namespaces.', text('Project.')),
  leftOut: list('Namespaces that were not asked, because there are too many; the first ones.', text('Namespace.')),
  moreLeftOut: integer('Number of others.'),
});

export const CLUSTER_ROUTES = {
  everywhere: { querystring: query, ...answers(Clusters), summary: 'List clusters that the user may read' },
  inNamespace: {
    ...onNamespace,
    querystring: query,
    ...answers(Clusters),
    summary: 'List the clusters that a namespace may use',
  },
};
