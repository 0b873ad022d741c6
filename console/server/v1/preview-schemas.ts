import Type from 'typebox';
import { list, object, openObject, optional, text } from '#api/schema.js';
import { onApplication } from './schemas.js';

/** The schemas of the routes that say what the controllers would do. */

const cluster = optional(text('Only on this cluster, as the status names it. Default: on all.'));
const path = list('Keys that lead to it.', text('Key.'));
const anything = (description: string) => optional(Type.Unknown({ description }));

const Value = object('A value, and the layer that it is from.', {
  path,
  value: anything('Value on all of the clusters; absent if they differ.'),
  perCluster: optional(list('What it is on each cluster, if they differ.', openObject('Cluster and value.'))),
  from: text('Path of the layer in the spec, or its name.'),
  expression: anything('What the layer says, if that is an expression.'),
  overrode: optional(openObject('The layer below that set it as well, with its value if that is the same everywhere.')),
});

const Group = object('Destinations of one entry with the same explanation.', {
  entry: text('Path of the entry in the spec.'),
  kind: text('HelmRelease or Kustomization.'),
  clusters: list('Clusters.', text('Cluster.')),
  state: text('Explained, Incomplete or Rejected.'),
  reason: text('Why it is not explained, in one word; empty if it is.'),
  message: text('The same in words.'),
  fields: list('Fields of the release.', Value),
  values: list('Values of the release; paths are below values.', Value),
  notRead: list('What lies below the values and was not read, the lowest first.', text('Where values are from.')),
});

const notes = list('What the user may not read, and what he should know.', text('Note.'));

const Values = object('Where each value of an Application is from.', {
  application: text('Namespace and name.'),
  sources: optional(list('What version ranges mean, where the Application has a rollout.', openObject('Chart.'))),
  destinations: list('Groups of destinations.', Group),
  notes,
});

export const PREVIEW_ROUTES = {
  values: {
    ...onApplication,
    querystring: Type.Object({ cluster }),
    response: { 200: Values },
    summary: 'Show where the values of an Application are from',
  },
};
