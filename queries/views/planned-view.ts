import type { PlannedChild } from '../answers/plans.js';

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
