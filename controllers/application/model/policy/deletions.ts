import type { DeletionPolicy } from '#api/v1alpha1/ownership.js';
import { isInstalledOnce } from '../once.js';
import { isTerminating } from '../state.js';
import type { Child } from '../types.js';
import { suspended } from './leftovers.js';
import type { Rule } from '../verdicts.js';

/** Facts about an Application that is being deleted. */
export interface DeletionFacts {
  readonly policy: DeletionPolicy;
  /** Why it is not deleted: what it installed cannot be uninstalled now. */
  readonly held: ReadonlyMap<Child, string>;
}

/** The rules about a child of an Application that is being deleted, in their order. The last one always applies. */
export const DELETION_RULES: readonly Rule<Child, DeletionFacts>[] = [
  {
    name: 'is-being-deleted',
    meaning: 'it is already being deleted',
    of: (child) => (isTerminating(child) ? { do: 'keep', why: 'it is being deleted' } : undefined),
  },
  {
    name: 'cluster-was-replaced',
    meaning: 'another cluster took the place of its own, and nobody abandoned that: it stays',
    of: (child, { held }) => {
      const why = held.get(child);
      return why === undefined ? undefined : { do: 'keep', why, hold: 'Removal' };
    },
  },
  {
    name: 'policy-is-orphan',
    meaning: 'the deletion policy is `Orphan`, also by `--cascade=orphan`: it stays, and belongs to nobody then',
    of: (_, { policy }) =>
      policy === 'Orphan' ? { do: 'keep', why: 'the deletion policy of its Application is Orphan' } : undefined,
  },
  {
    name: 'was-installed-once',
    meaning: 'its mode is `Once`, and it was installed: it is suspended, and then deleted without an uninstall',
    of: (child) => suspended(child, isInstalledOnce(child) ? 'it was installed once' : undefined),
  },
  {
    name: 'application-is-deleted',
    meaning: 'it is deleted with its Application, and its engine uninstalls what it installed',
    of: () => ({ do: 'delete', why: 'the Application is being deleted' }),
  },
];
