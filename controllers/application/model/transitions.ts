import type { Condition } from '../../../api/meta.js';
import type { ApplicationReason } from '../../../api/v1alpha1/conditions.js';
import { getCondition } from '../../runtime/pure/conditions.js';
import { describeChild } from './messages.js';
import type { Outcome } from './types.js';

/** One event to record on the Application. */
export interface Happening {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** A reason of Ready=False that nobody needs to be warned of: somebody deleted the Application. */
const ASKED_FOR = 'Deleting' satisfies ApplicationReason;

const VERBS = { create: 'Created', update: 'Updated', delete: 'Deleted' } as const;

/** An event for each write; failed ones are told by the condition. */
export function writeEvents(outcomes: readonly Outcome[]): Happening[] {
  return outcomes.flatMap(({ step, child, error }) => {
    if (error !== undefined || !(step.op === 'create' || step.op === 'update' || step.op === 'delete')) return [];
    const object = child ?? (step.op === 'delete' ? step.live : step.object);
    const reason = VERBS[step.op];
    return [{ type: 'Normal', reason, message: `${reason} ${describeChild(object)}: ${step.why}` }];
  });
}

function isNews(before: Condition | undefined, after: Condition): boolean {
  return before?.status !== after.status || before.reason !== after.reason;
}

/** An event when Ready says something else than before; steps on the way (Unknown) are no news. */
export function conditionEvents(before: readonly Condition[], after: readonly Condition[]): Happening[] {
  const ready = getCondition(after, 'Ready');
  if (ready === undefined || ready.status === 'Unknown' || !isNews(getCondition(before, 'Ready'), ready)) return [];
  const type = ready.status === 'True' || ready.reason === ASKED_FOR ? 'Normal' : 'Warning';
  return [{ type, reason: ready.reason, message: ready.message }];
}
