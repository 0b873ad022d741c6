import type { Condition } from '#api/meta.js';
import {
  getCondition,
  setCondition,
  withoutConditions as dropConditions,
  type NewCondition,
} from '#lib/kube/conditions.js';

/** The status fields of all applying kinds. */
export interface ProgressStatus {
  observedGeneration?: number;
  conditions?: Condition[];
}

/** What conditions need of the reconciliation. */
export interface PassMoment {
  readonly generation: number;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

/** Why a reconciliation ends. */
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

/** Reconciling=True with what is being done; Ready=Unknown with the same message. */
export function progressing<S extends ProgressStatus>(
  status: S,
  moment: PassMoment,
  message: string,
  reason = 'Progressing',
): S {
  const facts = { reason, message };
  const reconciling = withCondition(status, moment, { type: 'Reconciling', status: 'True', ...facts });
  return withoutConditions(
    withCondition(reconciling, moment, { type: 'Ready', status: 'Unknown', ...facts }),
    'Stalled',
  );
}

/** Stalled=True: nothing is retried until something changes. Ready is unchanged. */
export function stalledBy<S extends ProgressStatus>(status: S, moment: PassMoment, { reason, message }: Problem): S {
  const stalled = withCondition(status, moment, { type: 'Stalled', status: 'True', reason, message });
  return { ...withoutConditions(stalled, 'Reconciling'), observedGeneration: moment.generation };
}

/** Ready=False with a problem of this reconciliation. `stalled`: nothing is retried until something changes. */
export function notReady<S extends ProgressStatus>(
  status: S,
  moment: PassMoment,
  { reason, message, stalled }: Problem & { readonly stalled: boolean },
): S {
  const next = withCondition(status, moment, { type: 'Ready', status: 'False', reason, message });
  return stalled ? stalledBy(next, moment, { reason, message }) : retrying(next, moment);
}

/** The end of a reconciliation that failed, as Ready says, and is retried. */
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
 * True when the status does not report progress on this generation yet. A failure stays reported during a retry, and a
 * wait until the reconciliation is `beyond` its reason.
 */
function isUnspoken(status: ProgressStatus, generation: number, beyond: readonly string[]): boolean {
  if (status.observedGeneration === generation) return false;
  const ready = getCondition(status.conditions, 'Ready');
  return ready?.observedGeneration !== generation || beyond.includes(ready.reason);
}

/**
 * The status before long work that it does not report yet, in Flux's words; undefined if it does. `beyond`: reasons of
 * Ready that no longer apply.
 */
export function preparing<S extends ProgressStatus>(
  status: S,
  moment: PassMoment,
  beyond: readonly string[],
): S | undefined {
  const isDue = isUnspoken(status, moment.generation, beyond);
  return isDue ? progressing(status, moment, 'Fulfilling prerequisites') : undefined;
}
