import type Type from 'typebox';
import { DryRun } from '#api/dry-run.js';
import { flag, type Frozen, integer, list, object, oneOf, optional, text, word } from '#api/schema.js';
import { APPLICATION_REASONS } from '#api/v1alpha1/conditions.js';
import { FloatingSource } from '#api/v1alpha1/application.js';
import { anything, kubeObject } from './parts.js';
import { CHILD_KINDS, EXPLANATION_STATES, PLANNED_ACTIONS } from './words.js';

/** Answers about what the controllers would do, and where values are from. */

const application = text('Namespace and name.');
const kind = word('Kind of the child.', CHILD_KINDS);
const notes = list('What the user may not read, and should know.', text('Note.'));

const ValueView = object('A value, and the layer that it is from.', {
  path: list('Keys that lead to it.', text('Key.')),
  value: optional(anything('Value on all of the clusters; absent if they differ.')),
  perCluster: optional(
    list(
      'What it is on each cluster, if they differ.',
      object('Cluster and value.', { cluster: text('Cluster.'), value: anything('Value.') }),
    ),
  ),
  from: text('Path of the layer in the spec, or its name.'),
  expression: optional(anything('What the layer says, if that is an expression.')),
  overrode: optional(
    object('The layer below that set it as well.', {
      value: optional(anything('Its value, if that is the same everywhere.')),
      from: text('Path of the layer in the spec, or its name.'),
    }),
  ),
});
export type ValueView = Frozen<typeof ValueView>;

const GroupView = object('Destinations of one entry with the same explanation.', {
  entry: text('Path of the entry in the spec.'),
  kind,
  clusters: list('Clusters.', text('Cluster.')),
  state: oneOf('How far they are explained.', EXPLANATION_STATES),
  reason: word('Why it is not explained, in one word; empty if it is.', [
    ...Object.keys(APPLICATION_REASONS),
    'NotRendered',
    '',
  ]),
  message: text('The same in words.'),
  fields: list('Fields of the release.', ValueView),
  values: list('Values of the release; paths are below values.', ValueView),
  notRead: list('What lies below the values and was not read, the lowest first.', text('Where values are from.')),
});
export type GroupView = Frozen<typeof GroupView>;

const explanationFields = {
  application,
  sources: optional(list('What version ranges mean, where the Application has a rollout.', FloatingSource)),
  destinations: list('Groups of destinations.', GroupView),
};
/** The answer of `fairlead explain -o json`. */
export type ExplanationView = Frozen<Type.TObject<typeof explanationFields>>;

export const ExplanationAnswer = object('Where each value of an Application is from.', {
  ...explanationFields,
  notes,
});
export type ExplanationAnswer = Frozen<typeof ExplanationAnswer>;

const ChangedField = object('A field that would change.', {
  path: text('JSON pointer into the child.'),
  old: optional(anything('What it is; absent for a new one.')),
  new: optional(anything('What it would be; absent for one that is removed.')),
});
export type ChangedField = Frozen<typeof ChangedField>;

const PlannedChild = object('A child: the HelmRelease or Kustomization of a destination.', {
  action: oneOf('What would be done with it. wait: nothing yet, and why says what it waits for.', PLANNED_ACTIONS),
  entry: text('Path of its entry in the spec; empty if no entry wants it.'),
  cluster: text('Cluster.'),
  namespace: text('Target namespace; empty if the files say it.'),
  release: text('Name of the release.'),
  kind,
  name: text('Name of the child; empty if it has none yet.'),
  why: text('Why.'),
  uninstalls: optional(
    flag('True if what it deployed would be uninstalled, now or later: deleted, or reinstalled as another release.'),
  ),
  problems: optional(
    list(
      'What would keep it from becoming ready, as far as the user may read that.',
      text('Sentence with the way out.'),
    ),
  ),
  fields: optional(list('Fields of a child that would change, at once or after its wait.', ChangedField)),
  moreFields: optional(integer('Number of others that would change.')),
  object: optional(kubeObject('The child that would be created, at once or after its wait.')),
});
export type PlannedChild = Frozen<typeof PlannedChild>;

const PlanProblem = object('A problem.', {
  field: text('Path of the field; empty if it is of the whole.'),
  message: text('Problem.'),
});
export type PlanProblem = Frozen<typeof PlanProblem>;

export const planFields = {
  problems: list('What is wrong with the Application.', PlanProblem),
  children: list('What would be done with each child.', PlannedChild),
  notes,
};
/** The changes that the controller would make of an Application. */
export type PlanView = Frozen<Type.TObject<typeof planFields>>;

export const PlanAnswer = object('What would be done.', { application, ...planFields });
export type PlanAnswer = Frozen<typeof PlanAnswer>;

export const PlannedApplication = object('What would be done.', {
  application,
  ...planFields,
  exists: flag('True if it would be changed.'),
});
export type PlannedApplication = Frozen<typeof PlannedApplication>;

const PublishedChild = object('A child of which the engine says that something differs.', {
  kind,
  name: text('Name of the child.'),
  cluster: text('Cluster.'),
  changeSet: optional(DryRun),
  drift: optional(text('What differs on the cluster from what was applied.')),
});
export type PublishedChild = Frozen<typeof PublishedChild>;

export const DiffAnswer = object('What would be done now.', {
  application,
  ...planFields,
  published: list('What the engine says of children.', PublishedChild),
});
export type DiffAnswer = Frozen<typeof DiffAnswer>;
