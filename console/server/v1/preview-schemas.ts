import Type from 'typebox';
import { DryRun } from '#api/dry-run.js';
import { flag, integer, list, object, openObject, optional, text } from '#api/schema.js';
import type { Action } from '../../shared/action.js';
import { actionBody, onApplication, onNamespace, seen } from './schemas.js';

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

const ChangedField = object('A field that would change.', {
  path: text('JSON pointer into the child.'),
  old: anything('What it is; absent for a new one.'),
  new: anything('What it would be; absent for one that is removed.'),
});

const problems = list(
  'What is wrong with the Application.',
  object('A problem.', { field: text('Path of the field; empty if it is of the whole.'), message: text('Problem.') }),
);

export const plan = {
  application: text('Namespace and name.'),
  problems,
  children: list(
    'What would be done with each child.',
    object('A child: the HelmRelease or Kustomization of a destination.', {
      action: text('create, change, delete, keep or wait.'),
      entry: text('Path of its entry in the spec; empty if no entry wants it.'),
      cluster: text('Cluster.'),
      namespace: text('Target namespace; empty if the files say it.'),
      release: text('Name of the release.'),
      kind: text('HelmRelease or Kustomization.'),
      name: text('Name of the child; empty if it has none yet.'),
      why: text('Why.'),
      uninstalls: optional(
        flag(
          'True if what it deployed would be uninstalled, now or later: deleted, or reinstalled as another release.',
        ),
      ),
      fields: optional(list('Fields of a child that would change.', ChangedField)),
      moreFields: optional(integer('Number of others that would change.')),
      object: optional(openObject('The child that would be created.')),
    }),
  ),
  notes,
};

const Published = object('A child of which the engine says that something differs.', {
  kind: text('HelmRelease or Kustomization.'),
  name: text('Name of the child.'),
  cluster: text('Cluster.'),
  changeSet: optional(DryRun),
  drift: optional(text('What differs on the cluster from what was applied.')),
});

export const PREVIEW_ROUTES = {
  values: {
    ...onApplication,
    querystring: Type.Object({ cluster }),
    response: { 200: Values },
    summary: 'Show where the values of an Application are from',
  },
  diff: {
    ...onApplication,
    querystring: Type.Object({ cluster }),
    response: {
      200: object('What would be done now.', {
        ...plan,
        published: list('What the engine says of children.', Published),
      }),
    },
    summary: 'Show what differs between an Application and what is there',
  },
  preview: {
    ...onNamespace,
    body: Type.Unsafe<object>({ $ref: 'Application#' }),
    response: { 200: object('What would be done.', { ...plan, exists: flag('True if it would be changed.') }) },
    summary: 'Show what would be done if an Application were created or replaced',
  },
};

/** The description of the preview of an action. */
export function actionPreviewRoute(action: Action) {
  return {
    ...{ ...onApplication, querystring: Type.Object(seen), ...actionBody(action) },
    response: { 200: object('What would be done.', plan) },
    summary: `Show what would be done: ${action.summary}`,
  };
}
