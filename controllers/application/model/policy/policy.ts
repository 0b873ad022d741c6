import { backendOf } from '../backends/index.js';
import type { ChangedAccess } from '../child/cluster.js';
import type { RejectedEntry, Violation } from '../child/types.js';
import type { Rule } from '../child/verdicts.js';
import type { SameTargets } from '../children/same-target.js';
import { replacedViolation, type Replacements } from '../clusters/replaced.js';
import type { OtherNames } from '../clusters/shared-cluster.js';
import { gateViolation } from '../destinations/personal-values.js';
import {
  ORPHAN,
  OWNER,
  rejected,
  rejectedBy,
  type Shared,
  sharedBy,
  STATED,
  type StatedEntry,
} from '../destinations/rejected.js';
import { DESTINATION_RULES } from './destinations.js';
import { DELETION_RULES, LEFTOVER_RULES } from './leftovers.js';

/** Facts about all entries of an Application. */
export interface EntryFacts extends Replacements {
  readonly access: ChangedAccess;
  readonly others: Pick<OtherNames, 'violations'>;
  readonly same: Pick<SameTargets, 'violationOf'>;
}

/** An entry that may continue several children. */
function unclear({ entry, candidates }: StatedEntry): Violation | undefined {
  if (candidates.length === 0) return undefined;
  const { kind, describeCandidate } = backendOf(entry.release);
  const names = candidates.map(describeCandidate).sort();
  const message = `${entry.path}: it is unclear whether the entry continues ${kind} ${names.join(', or ')}: change names first and paths afterwards, or remove the old entries before you add new ones`;
  return { reason: 'DestinationUnclear', message };
}

/** The rules about an entry, in their order. */
export const ENTRY_RULES: readonly Rule<StatedEntry, Shared & EntryFacts>[] = [
  ...STATED,
  {
    name: 'access-changed',
    meaning: 'its cluster is reached in another way than when its child was written: the entry is rejected',
    of: ({ entry }, { access }) => rejected(access.violationOf(entry)),
  },
  {
    name: 'cluster-has-two-names',
    meaning:
      'another entry defines the release on the same cluster under another name of it: the one without a child is rejected',
    of: ({ entry }, { others }) => rejected(others.violations.get(entry)),
  },
  {
    name: 'cluster-is-replaced',
    meaning:
      'another cluster took the place of the one that its children are for, and nobody accepted it: the entry is rejected',
    of: ({ entry, live }, replacements) => rejected(replacedViolation(entry, live, replacements)),
  },
  {
    name: 'ready-is-invalid',
    meaning: 'its `ready` cannot be evaluated, and it has no child yet: the entry is rejected',
    of: ({ entry, live }) => rejected(gateViolation(entry, live)),
  },
  {
    name: 'target-is-taken',
    meaning: 'somebody else applies the same release or files to the same place already: the entry is rejected',
    of: (destination, { same }) => rejected(same.violationOf(destination)),
  },
  // The way out of a conflict is no help to an entry that is wrong by itself.
  OWNER,
  ORPHAN,
  {
    name: 'child-is-unclear',
    meaning: 'the entry may continue any of several children: it is rejected',
    of: (destination) => rejected(unclear(destination)),
  },
];

/**
 * The destinations whose entries are rejected: those with a violation in their order, then those that may continue
 * several children. Never throws.
 */
export function judge(
  rules: typeof ENTRY_RULES,
  destinations: readonly StatedEntry[],
  facts: EntryFacts,
): RejectedEntry[] {
  const shared = sharedBy(destinations.map(({ entry }) => entry));
  const found = rejectedBy(rules, destinations, { ...shared, ...facts });
  const isUnclear = ({ violation }: RejectedEntry): boolean => violation.reason === 'DestinationUnclear';
  return [...found.filter((each) => !isUnclear(each)), ...found.filter(isUnclear)];
}

/** Every rule about a destination. Of each list, the first rule that applies decides. */
export interface Policy {
  /** For each entry: whether it is rejected. */
  readonly entries: typeof ENTRY_RULES;
  /** For each destination whose entry is not rejected. */
  readonly destinations: typeof DESTINATION_RULES;
  /** For each child that no entry matches. */
  readonly leftovers: typeof LEFTOVER_RULES;
  /** For each child of an Application that is being deleted. */
  readonly deletions: typeof DELETION_RULES;
}

/** The policy of Fairlead; the documentation prints it. */
export const POLICY: Policy = {
  entries: ENTRY_RULES,
  destinations: DESTINATION_RULES,
  leftovers: LEFTOVER_RULES,
  deletions: DELETION_RULES,
};
