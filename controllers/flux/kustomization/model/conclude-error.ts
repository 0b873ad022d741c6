import type { Kustomization, KustomizationStatus } from '#api/flux/kustomization.js';
import pick from 'lodash/pick.js';
import { WaitingError } from '#controllers/runtime/pure/errors.js';
import { afterError, isReported, type Conclusion, type Failure } from '../../shared/model/conclusion.js';
import { notReady } from '../../shared/model/progress.js';
import { readRequests } from '../../shared/model/requests.js';
import { failureEvents, type Then } from './conclude.js';

/** What an error that ends a reconciliation comes to. Never throws. */
export function concludeError(
  kustomization: Kustomization,
  failure: Failure,
  { status, moment }: Pick<Then, 'status' | 'moment'>,
): Conclusion<KustomizationStatus> {
  const { error, problem } = failure;
  const next = afterError(kustomization, error);
  // What was done before it must not be forgotten, and what was requested stays requested.
  if (!isReported(kustomization, failure)) return { status, events: [], next };
  const { handled } = readRequests(kustomization);
  // What waits for something else may only be early.
  const type = error instanceof WaitingError ? 'Normal' : 'Warning';
  return {
    status: { ...notReady(status, moment, problem), ...pick(handled, 'lastHandledReconcileAt') },
    events: failureEvents(kustomization, problem, type),
    next,
  };
}
