import type { PendingReason } from '#api/v1alpha1/pending.js';
import type { Violation } from '../types.js';

/** What becomes of a destination, and why, for people. */
export type Verdict =
  | {
      readonly do: 'create' | 'update' | 'adopt' | 'reinstall' | 'unmanage' | 'suspend' | 'delete';
      readonly why: string;
    }
  /** What runs stays as it is; `hold`: it goes on once that is over. */
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

/** The verdict of the first rule that applies; undefined: none does. */
export function firstVerdict<Subject, Facts>(
  rules: readonly Rule<Subject, Facts>[],
  subject: Subject,
  facts: Facts,
): Verdict | undefined {
  for (const rule of rules) {
    const verdict = rule.of(subject, facts);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}
