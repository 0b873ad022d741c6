import type { Application } from '#api/v1alpha1/application.js';
import { leftoversMayGo } from './deletion.js';
import { desiredChild } from './desired.js';
import { matchChildren } from './match.js';
import { planSteps } from './plan.js';
import { rejectedEntries, unclearEntry, type FindViolation, type FindOwner } from './reject.js';
import type { Child, Entry, RejectedEntry, Step } from './types.js';

/** The input of the plan of an Application. */
export interface PlanChildrenInput {
  readonly application: Application;
  readonly entries: readonly Entry[];
  readonly owned: readonly Child[];
  readonly adoptable: readonly Child[];
  readonly complete: boolean;
  readonly otherOwnerOf: FindOwner;
  readonly violationOf?: FindViolation;
  /** True for an entry whose kubeconfig Secret does not exist. */
  readonly lacksSecret?: (entry: Entry) => boolean;
  readonly isTaken: (name: string) => boolean;
}

/** The steps for an Application, and its rejected entries. */
export interface Work {
  readonly steps: readonly Step[];
  readonly rejected: readonly RejectedEntry[];
}

/**
 * Derives the steps from the entries and the children of a valid Application (see `findViolation`). Never throws.
 */
export function planChildren(input: PlanChildrenInput): Work {
  const { application, entries, owned, adoptable, complete } = input;
  const { childOf, unclear, unmatched } = matchChildren(entries, [...owned, ...adoptable]);
  const invalid = rejectedEntries(entries, input.otherOwnerOf, input.violationOf);
  const mixedUp = [...unclear].filter(([entry]) => !invalid.some((each) => each.entry === entry));
  const rejected = [...invalid, ...mixedUp.map(([entry, children]) => unclearEntry(entry, children))];
  const refused = new Set(rejected.map(({ entry }) => entry));
  const accepted = entries.filter((entry) => !refused.has(entry));
  const desired = accepted.map((entry) => desiredChild(application, entry, childOf.get(entry), input.isTaken));
  const steps = planSteps({
    desired,
    rejected,
    rejectedChild: ({ entry }) => childOf.get(entry),
    unmatched: unmatched.filter((child) => owned.includes(child)),
    complete,
    lacksSecret: input.lacksSecret ?? (() => false),
    leftoversMayGo: leftoversMayGo(application),
  });
  return { steps, rejected };
}
