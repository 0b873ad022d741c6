import type { Outcome, Step } from './verdicts.js';
import { isLeftover, isOfEntry, type Destination } from './world.js';

const NO_CHILD = 'waiting: the Application as a whole is stalled';
const NO_ENTRY = 'the Application as a whole is stalled';

/** The outcomes of steps of which none was carried out. */
export function outcomesBefore(steps: readonly Step[]): Outcome[] {
  return steps.map((step) => ({ step, child: 'live' in step ? step.live : undefined }));
}

/**
 * Outcomes for an Application that is invalid as a whole: every child is left unchanged and reported. Never throws.
 */
export function stalledOutcomes(destinations: readonly Destination[]): Outcome[] {
  const steps = [
    ...destinations
      .filter(isOfEntry)
      .map(({ entry, live }): Step =>
        live === undefined ? { op: 'wait', entry, live, why: NO_CHILD } : { op: 'keep', entry, live, why: NO_ENTRY },
      ),
    ...destinations.filter(isLeftover).map(({ live }): Step => ({ op: 'spare', live, why: NO_ENTRY })),
  ];
  return outcomesBefore(steps);
}
