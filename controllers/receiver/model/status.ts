import type { ReceiverStatus } from '#api/flux/receiver.js';
import {
  notReady,
  withCondition,
  withoutConditions,
  type PassMoment,
  type Problem,
} from '#engine/flux/model/progress.js';

/** The status of a Receiver that accepts webhooks, in Flux's words. */
export function initialized(status: ReceiverStatus, moment: PassMoment, path: string): ReceiverStatus {
  const message = `Receiver initialized for path: ${path}`;
  const ready = withCondition(withoutConditions(status, 'Reconciling', 'Stalled'), moment, {
    ...{ type: 'Ready', status: 'True', reason: 'Succeeded', message },
  });
  return { ...ready, observedGeneration: moment.generation, webhookPath: path };
}

/** The status of a Receiver that cannot accept webhooks. One that is only out of reach keeps its path. */
export function rejected(
  status: ReceiverStatus,
  moment: PassMoment,
  problem: Problem & { readonly stalled: boolean },
): ReceiverStatus {
  const { webhookPath, ...next } = notReady(status, moment, problem);
  const isInvalid = problem.stalled || problem.reason === 'TokenNotFound';
  return isInvalid || webhookPath === undefined ? next : { ...next, webhookPath };
}
