import { matchChildren } from './match.js';
import type { Child, Entry, Outcome, Step } from './types.js';

const NO_CHILD = 'waiting: the Application as a whole is stalled';
const NO_ENTRY = 'the Application as a whole is stalled';

/** The outcomes of steps of which none was carried out. */
export function outcomesBefore(steps: readonly Step[]): Outcome[] {
  return steps.map((step) => ({ step, child: 'live' in step ? step.live : undefined }));
}

/**
 * Outcomes for an Application that is invalid as a whole: every child is left unchanged and reported. `owned` are the
 * children of the Application. Never throws.
 */
export function stalledOutcomes(entries: readonly Entry[], owned: readonly Child[]): Outcome[] {
  const { childOf, unmatched } = matchChildren(entries, owned);
  const steps = [
    ...entries.map((entry): Step => {
      const live = childOf.get(entry);
      return live === undefined
        ? { op: 'wait', entry, live, why: NO_CHILD }
        : { op: 'keep', entry, live, why: NO_ENTRY };
    }),
    ...unmatched.map((live): Step => ({ op: 'spare', live, why: NO_ENTRY })),
  ];
  return outcomesBefore(steps);
}
