import type { KubeObject } from '#api/meta.js';

/** A field that would change; absent values do not exist before or after. */
export interface ChangedField {
  /** JSON pointer into the child. */
  readonly path: string;
  readonly old?: unknown;
  readonly new?: unknown;
}

/** What would be done with one child, or why nothing is. */
export interface PlannedChild {
  readonly action: 'create' | 'change' | 'delete' | 'keep' | 'wait';
  /** Path of its entry in the spec; empty if no entry wants it. */
  readonly entry: string;
  readonly cluster: string;
  /** Empty if the files of a Kustomization say it. */
  readonly namespace: string;
  readonly release: string;
  readonly kind: string;
  /** Name of the child; empty if it has none yet. */
  readonly name: string;
  readonly why: string;
  /** What it deployed would be uninstalled, now or later: the child is deleted, or cannot be changed in place. */
  readonly uninstalls?: boolean;
  /** Of a child that would change. */
  readonly fields?: readonly ChangedField[];
  /** Number of others. */
  readonly moreFields?: number;
  /** The child that would be created. */
  readonly object?: KubeObject;
}

/** What is wrong with an Application. */
export interface PlanProblem {
  /** Path of the field; empty if it is of the whole. */
  readonly field: string;
  readonly message: string;
}

/** What the controller would do of an Application. */
export interface PlanView {
  readonly problems: readonly PlanProblem[];
  readonly children: readonly PlannedChild[];
  /** What users should know. */
  readonly notes: readonly string[];
}

/** What the controller would do of an Application that is created or replaced. */
export interface PlannedApplication extends PlanView {
  /** Namespace and name. */
  readonly application: string;
  /** It would be changed. */
  readonly exists: boolean;
}

/** What becomes of what runs, the worst first. */
const FATES = [
  'uninstall',
  'uninstallLater',
  'reinstall',
  'reinstallLater',
  'leave',
  'change',
  'create',
  'wait',
  'keep',
] as const;
export type Fate = (typeof FATES)[number];

/** What becomes of a child. */
export function fateOf({ action, entry, uninstalls }: PlannedChild): Fate {
  switch (action) {
    case 'delete':
      return uninstalls === false ? 'leave' : 'uninstall';
    case 'wait':
      if (entry !== '') return uninstalls === true ? 'reinstallLater' : 'wait';
      // Nothing wants it: its removal waits.
      return uninstalls === false ? 'leave' : 'uninstallLater';
    case 'change':
      return uninstalls === true ? 'reinstall' : 'change';
    default:
      return action;
  }
}

/** The children of a plan by what becomes of them: the worst first, and only fates that one has. */
export function plannedByFate(children: readonly PlannedChild[]): (readonly [Fate, readonly PlannedChild[]])[] {
  const fates = FATES.map((fate) => [fate, children.filter((child) => fateOf(child) === fate)] as const);
  return fates.filter(([, found]) => found.length > 0);
}
