import type { Application } from '#api/v1alpha1/application.js';
import type { PendingReason } from '#api/v1alpha1/pending.js';
import type { Child, Entry, Rules, Violation } from './types.js';

/** A check of an Application as a whole. */
export type ApplicationCheck = (application: Application, rules: Rules) => Violation | undefined;

/** The fate of a destination, and its reason for people. */
export type Verdict =
  | {
      readonly do: 'create' | 'update' | 'adopt' | 'reinstall' | 'unmanage' | 'suspend' | 'delete';
      readonly why: string;
    }
  /** Its child stays until the Application of the UID `to` takes it over. */
  | { readonly do: 'offer'; readonly why: string; readonly to: string; readonly hold: PendingReason }
  /** Its child stays as it is; `hold`: it goes on once that is over. */
  | { readonly do: 'keep'; readonly why: string; readonly hold?: PendingReason }
  /** Nothing can be done yet. */
  | { readonly hold: PendingReason; readonly why: string }
  /** Its entry is wrong: somebody has to correct it. */
  | { readonly reject: Violation };

/** One rule about a destination. */
export interface Rule<Subject, Facts> {
  /** In kebab-case; unique in its list. */
  readonly name: string;
  /** For the documentation: when it applies, and what follows. */
  readonly meaning: string;
  /** Undefined: the rule does not apply. */
  readonly of: (subject: Subject, facts: Facts) => Verdict | undefined;
}

/** The result of the first check that finds anything; later checks are not asked. */
export function firstFound<Check, Found>(
  checks: Iterable<Check>,
  ask: (check: Check) => Found | undefined,
): Found | undefined {
  for (const check of checks) {
    const found = ask(check);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The result of `find` for each key; keys without a result are left out. */
export function foundFor<Key, Found>(keys: Iterable<Key>, find: (key: Key) => Found | undefined): Map<Key, Found> {
  const all = [...keys].flatMap((key): [Key, Found][] => {
    const found = find(key);
    return found === undefined ? [] : [[key, found]];
  });
  return new Map(all);
}

/** The verdict of the first rule that applies; undefined: none does. */
export function firstVerdict<Subject, Facts>(
  rules: readonly Rule<Subject, Facts>[],
  subject: Subject,
  facts: Facts,
): Verdict | undefined {
  return firstFound(rules, (rule) => rule.of(subject, facts));
}

/** One action on one child, and its reason for people. */
export type Step =
  | { readonly op: 'create'; readonly why: string; readonly entry: Entry; readonly object: Child }
  | {
      readonly op: 'update';
      readonly why: string;
      readonly entry: Entry;
      readonly object: Child;
      readonly live: Child;
      /** The child belonged to nobody, or to an earlier Application of the name. */
      readonly isAdoption: boolean;
      /** Why the update uninstalls what the child deployed; absent: it does not. */
      readonly uninstalls?: string;
      readonly later?: Child;
    }
  /** `hold`: what it waits for before it changes, to `later`. */
  | {
      readonly op: 'keep';
      readonly why: string;
      readonly entry: Entry;
      readonly live: Child;
      readonly hold?: PendingReason;
      readonly later?: Child;
    }
  /**
   * Nothing can be done yet. `hold`: what it waits for; absent: its entry is rejected. `later`: the child after the
   * wait.
   */
  | {
      readonly op: 'wait';
      readonly why: string;
      readonly entry: Entry;
      readonly live: Child | undefined;
      readonly hold?: PendingReason;
      readonly later?: Child;
    }
  /** Its child was installed once: from now on it is left unchanged. */
  | { readonly op: 'unmanage'; readonly why: string; readonly entry: Entry; readonly live: Child }
  | { readonly op: 'delete'; readonly why: string; readonly live: Child }
  /** Before the deletion of a child whose release must not be uninstalled. */
  | { readonly op: 'suspend'; readonly why: string; readonly live: Child }
  /** The Application of the UID `to` may take a child without an entry over; undefined: nobody may any more. */
  | {
      readonly op: 'offer';
      readonly why: string;
      readonly live: Child;
      readonly to?: string;
      readonly hold: PendingReason;
    }
  /** A child without an entry that must not be deleted now; `hold`: it goes once the reason is gone. */
  | { readonly op: 'spare'; readonly why: string; readonly live: Child; readonly hold?: PendingReason };

/** The result of a step; `error` if it failed. */
export interface Outcome {
  readonly step: Step;
  /** The child after the step, if known. */
  readonly child: Child | undefined;
  readonly error?: unknown;
}

/** The wait of a destination. */
export interface Wait {
  readonly reason: PendingReason;
  readonly message: string;
  /** Revision of the Application that it has, and the one that it waits for, if they are kept. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Describes the change; computed on demand, as few of many are shown. */
  readonly change: () => string;
}

/** True for steps that start or complete the removal of what a child deployed. */
export function isRemoval(step: Step): step is Extract<Step, { op: 'delete' | 'suspend' | 'update' }> {
  return step.op === 'delete' || step.op === 'suspend' || (step.op === 'update' && step.uninstalls !== undefined);
}

const WRITING: readonly string[] = ['update', 'unmanage', 'delete', 'offer'];

/** The children that steps write or delete. */
export function writtenBy(steps: readonly Step[]): ReadonlySet<Child> {
  return new Set(steps.flatMap((step) => (WRITING.includes(step.op) && 'live' in step ? (step.live ?? []) : [])));
}
