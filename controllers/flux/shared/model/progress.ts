import type { Condition } from '#api/meta.js';
import {
  getCondition,
  setCondition,
  withoutConditions as dropConditions,
  type NewCondition,
} from '#controllers/runtime/pure/conditions.js';

/** What the statuses of all applying kinds have in common. */
export interface ProgressStatus {
  observedGeneration?: number;
  conditions?: Condition[];
}

/** What conditions need of the pass. */
export interface PassMoment {
  readonly generation: number;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

/** Why a pass ends. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
}

/** `status` with one condition set. */
export function withCondition<S extends ProgressStatus>(
  status: S,
  { generation, now }: PassMoment,
  condition: Omit<NewCondition, 'observedGeneration'>,
): S {
  const next = { ...condition, observedGeneration: generation };
  return { ...status, conditions: setCondition(status.conditions ?? [], next, now) };
}

/** `status` without some conditions. */
export function withoutConditions<S extends ProgressStatus>(status: S, ...types: string[]): S {
  return { ...status, conditions: dropConditions(status.conditions ?? [], ...types) };
}

/** Reconciling with what is being done; Ready becomes Unknown with the same words. */
export function progressing<S extends ProgressStatus>(status: S, moment: PassMoment, message: string): S {
  const facts = { reason: 'Progressing', message };
  const reconciling = withCondition(status, moment, { type: 'Reconciling', status: 'True', ...facts });
  return withoutConditions(
    withCondition(reconciling, moment, { type: 'Ready', status: 'Unknown', ...facts }),
    'Stalled',
  );
}

/** Nothing is tried again until something changes; Ready stays as it is. */
export function stalledBy<S extends ProgressStatus>(status: S, moment: PassMoment, { reason, message }: Problem): S {
  const stalled = withCondition(status, moment, { type: 'Stalled', status: 'True', reason, message });
  return { ...withoutConditions(stalled, 'Reconciling'), observedGeneration: moment.generation };
}

/** Ready=False for a reason of this pass; `stalled` when nothing is tried again until something changes. */
export function notReady<S extends ProgressStatus>(
  status: S,
  moment: PassMoment,
  { reason, message, stalled }: Problem & { readonly stalled: boolean },
): S {
  const next = withCondition(status, moment, { type: 'Ready', status: 'False', reason, message });
  return stalled ? stalledBy(next, moment, { reason, message }) : retrying(next, moment);
}

/** The end of a pass after a failure, which Ready names, that is answered by another try. */
export function retrying<S extends ProgressStatus>(status: S, moment: PassMoment): S {
  const { message = '' } = getCondition(status.conditions, 'Ready') ?? {};
  return withCondition(withoutConditions(status, 'Stalled'), moment, {
    type: 'Reconciling',
    status: 'True',
    reason: 'ProgressingWithRetry',
    message,
  });
}

/**
 * True when the status says nothing yet of what is being done about this generation. A failure of it stays said while
 * it is tried again, and a wait until the pass is `beyond` its reason.
 */
function isUnspoken(status: ProgressStatus, generation: number, beyond: readonly string[]): boolean {
  if (status.observedGeneration === generation) return false;
  const ready = getCondition(status.conditions, 'Ready');
  return ready?.observedGeneration !== generation || beyond.includes(ready.reason);
}

/**
 * The status before long work on what it says nothing of yet, in Flux's words; undefined where it has said enough.
 * `beyond`: reasons of Ready that the pass has found to be out of date.
 */
export function preparing<S extends ProgressStatus>(
  status: S,
  moment: PassMoment,
  beyond: readonly string[],
): S | undefined {
  const isDue = isUnspoken(status, moment.generation, beyond);
  return isDue ? progressing(status, moment, 'Fulfilling prerequisites') : undefined;
}
