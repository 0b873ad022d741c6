import { kindsFor } from '#api/flux/source-kinds.js';

/**
 * The closed sets of words in answers, besides those of the API (`api/v1alpha1/states.ts`, `pending.ts`,
 * `conditions.ts`). The dashboard loads this file, so it has no schemas.
 */

/** An Application, by its conditions. */
// prettier-ignore
export const APPLICATION_STATES = ['Deleting', 'Stalled', 'Failed', 'Pending', 'Paused', 'Progressing', 'Ready'] as const;
export type ApplicationState = (typeof APPLICATION_STATES)[number];

/** A cluster. Lost: children are for it, and the inventory does not have it. */
export const CLUSTER_STATES = ['Ready', 'NotReady', 'Unknown', 'Paused', 'Lost'] as const;

/** An object on a cluster, by its health. */
export const OBJECT_STATES = ['Ready', 'Progressing', 'Failed', 'Deleting', 'Missing', 'Unknown'] as const;
export type ObjectState = (typeof OBJECT_STATES)[number];

/** A source of charts or files, by its conditions. */
// prettier-ignore
export const SOURCE_STATES = ['Deleting', 'Suspended', 'Stalled', 'Failed', 'Pending', 'Progressing', 'Ready'] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

/** The sources that an Application can be made from, and those of its charts. */
export const LISTED_SOURCES = [...kindsFor('applications'), 'HelmChart' as const];

/** A template, by its conditions. */
export const TEMPLATE_STATES = ['Ready', 'Stalled', 'Pending'] as const;

/** The states of a revision of an Application; several may be true. */
// prettier-ignore
export const REVISION_STATES = [
  'Current', 'RollingOut', 'Halted', 'Paused', 'RolledOut', 'RolledBack', 'LastGood', 'Pinned', 'NotKept',
] as const;
export type RevisionState = (typeof REVISION_STATES)[number];

/** An object as it is wanted and as it is, the worst first. */
export const COMPARED_STATES = ['missing', 'changed', 'unreadable', 'unknown', 'ignored', 'same'] as const;
export type ComparedState = (typeof COMPARED_STATES)[number];

/** The actions of the controller on a child. */
export const PLANNED_ACTIONS = ['create', 'change', 'delete', 'keep', 'wait'] as const;

/** The kinds of children of Applications. */
export const CHILD_KINDS = ['HelmRelease', 'Kustomization'] as const;

/** How far the values of destinations are explained. */
export const EXPLANATION_STATES = ['Explained', 'Incomplete', 'Rejected'] as const;

/** The engines of Applications; empty: none is known yet. */
export const ENGINES = ['fluxcd', 'argocd', ''] as const;
