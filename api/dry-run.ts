import type Type from 'typebox';
import { integer, list, object, oneOf, optional, text, time } from './schema.js';

/** What would happen to an object. Deletions come first: they must not hide behind creations. */
export const DRY_RUN_ACTIONS = ['failed', 'deleted', 'held', 'recreated', 'changed', 'created'] as const;
export type DryRunAction = (typeof DRY_RUN_ACTIONS)[number];

const FieldChange = object('One field that would change.', {
  path: text('JSON pointer of the field.'),
  old: optional(text('Current value as JSON, shortened. Not set for a new field, or if the value is secret.')),
  new: optional(text('New value as JSON, shortened. Not set for a removed field, or if the value is secret.')),
});

const PlannedChange = object('One object that would change.', {
  action: oneOf(
    'What would happen to the object. failed: the cluster rejects it; held: its deletion has to wait.',
    DRY_RUN_ACTIONS,
  ),
  apiVersion: text('API version of the object.'),
  kind: text('Kind of the object.'),
  namespace: optional(text('Namespace of the object.')),
  name: text('Name of the object.'),
  fields: optional(list('Fields that would change.', FieldChange)),
  moreFields: optional(integer('Number of changed fields that are not listed; 1000 means 1000 or more.')),
  message: optional(text('Further details, e.g. why the cluster rejects the object.')),
});
export type PlannedChange = Type.Static<typeof PlannedChange>;

export const DryRun = object(
  'What would be written without the annotation gitops.kubesphere.io/dry-run. The list is bounded, the summary is not.',
  {
    observedGeneration: integer('Generation that was compared.'),
    revision: optional(text('Revision that was compared.')),
    action: optional(text('What would be done as a whole, and why.')),
    digest: text('Digest of the changes as they are listed here.'),
    computedAt: time('Time at which these changes were first computed.'),
    summary: object('Number of objects.', {
      created: integer('Objects that would be created.'),
      changed: integer('Objects that would be changed.'),
      recreated: integer('Objects that would be deleted and created again.'),
      deleted: integer('Objects that would be deleted.'),
      held: optional(integer('Objects that would be deleted later, or after an approval.')),
      unchanged: integer('Objects that would stay unchanged.'),
      failed: integer('Objects that the cluster rejects.'),
    }),
    objects: optional(list('Objects that would change: failures and deletions first.', PlannedChange)),
    more: optional(integer('Number of objects that would change and are not listed.')),
  },
);
export type DryRun = Type.Static<typeof DryRun>;
