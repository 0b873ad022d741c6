import { DELETION_RULES } from './deletions.js';
import { DESTINATION_RULES } from './destinations.js';
import { ENTRY_RULES } from './entries.js';
import { LEFTOVER_RULES } from './leftovers.js';

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
