import type { Application } from '../../../api/v1alpha1/application.js';
import { desiredChild } from './desired.js';
import { matchChildren } from './match.js';
import { planSteps } from './plan.js';
import { rejectedEntries, type FindFlaw, type FindRival } from './reject.js';
import type { Child, Entry, RejectedEntry, Step } from './types.js';

/** What the plan of an Application follows from. */
export interface WorkInput {
  readonly application: Application;
  readonly entries: readonly Entry[];
  readonly owned: readonly Child[];
  readonly adoptable: readonly Child[];
  readonly complete: boolean;
  readonly rivalOf: FindRival;
  readonly flawOf?: FindFlaw;
  readonly isTaken: (name: string) => boolean;
}

/** What is to be done for an Application, and the entries for which nothing is. */
export interface Work {
  readonly steps: readonly Step[];
  readonly rejected: readonly RejectedEntry[];
}

/**
 * From the entries and the children to the steps. A valid Application is assumed (see `findViolation`). Never throws.
 */
export function planWork(input: WorkInput): Work {
  const { application, entries, owned, adoptable, complete } = input;
  const rejected = rejectedEntries(entries, input.rivalOf, input.flawOf);
  const refused = new Set(rejected.map(({ entry }) => entry));
  const { childOf, unmatched } = matchChildren(entries, [...owned, ...adoptable]);
  const accepted = entries.filter((entry) => !refused.has(entry));
  const desired = accepted.map((entry) => desiredChild(application, entry, childOf.get(entry), input.isTaken));
  const steps = planSteps({
    desired,
    rejected,
    rejectedChild: ({ entry }) => childOf.get(entry),
    unmatched: unmatched.filter((child) => owned.includes(child)),
    complete,
  });
  return { steps, rejected };
}
