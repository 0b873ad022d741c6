import { type Frozen, integer, list, object, oneOf, optional, text, time, word } from '#api/schema.js';
import { CHILD_KINDS, REVISION_STATES } from './words.js';

/** Answers about revisions of Applications. */

const RevisionItem = object('A kept revision of an Application.', {
  revision: integer('Number.'),
  createdAt: time('Time of creation.'),
  object: text('Name of its ControllerRevision.'),
});
export type RevisionItem = Frozen<typeof RevisionItem>;

export const Revisions = object('Revisions.', { items: list('Those that are kept, newest first.', RevisionItem) });

/** One revision, as `fairlead history -o json` prints it. */
const RevisionView = object('A revision.', {
  revision: integer('Number.'),
  id: optional(text('Number and digest, by which annotations name it; absent if it is not kept.')),
  states: list('What can be said of it.', oneOf('State.', REVISION_STATES)),
  createdAt: time('Time of creation; empty if it is not kept.'),
  cause: text('Why it was made.'),
  changes: list('Fields that differ from the one before it that is kept, without values.', text('Field.')),
  clusters: list('Clusters that were last changed by it.', text('Cluster.')),
  pinnedClusters: list('Clusters that are pinned to it by themselves.', text('Cluster.')),
  haltedAt: optional(text('Stage at which its rollout is halted.')),
});
export type RevisionView = Frozen<typeof RevisionView>;

const unknown = list('Clusters with a child that does not say which revision it has.', text('Cluster.'));

/** The answer of `fairlead history -o json`. */
export interface HistoryView {
  readonly application: string;
  readonly namespace: string;
  /** The newest first. */
  readonly revisions: readonly RevisionView[];
  /** Clusters with a child that does not say which revision it is of. */
  readonly unknown: readonly string[];
}

const ShownRevision = object('A revision.', {
  ...RevisionView.properties,
  changes: list('Fields that differ from the one before it; the first ones.', text('Field.')),
  moreChanges: integer('Number of others.'),
});
export type ShownRevision = Frozen<typeof ShownRevision>;

export const HistoryAnswer = object('Revisions, and what is where.', {
  revisions: list('The newest first.', ShownRevision),
  unknown,
  forbidden: list('Kinds of children that the user may not list.', word('Kind.', CHILD_KINDS)),
});
export type HistoryAnswer = Frozen<typeof HistoryAnswer>;

const ShownDifference = object('Field.', {
  path: text('JSON pointer into the Application, with its templates merged.'),
  old: text('Value as JSON, shortened; empty if there is none.'),
  new: text('Value as JSON, shortened; empty if there is none.'),
});
export type ShownDifference = Frozen<typeof ShownDifference>;

export const ShownDifferences = object('What differs.', {
  differences: list('Fields that differ; the first ones.', ShownDifference),
  more: integer('Number of others.'),
});
export type ShownDifferences = Frozen<typeof ShownDifferences>;
