import { retryIntervalMs } from '#engine/flux/model/timing.js';
import { exhausted, type NextAction, type ReleaseAction } from './next-action.js';
import { isExhausted, type Remediation } from './remediation.js';

/** How an action failed. */
export interface FailedAction {
  readonly action: ReleaseAction;
  /** Helm does not render the chart. `final`: not with these values, whatever is on the cluster. */
  readonly rejection?: 'final' | 'passing' | undefined;
  /** The attempt left no revision in Helm's storage. */
  readonly uncounted: boolean;
}

/** What follows a failed action. */
export type AfterFailure =
  /** Observe the state again: it decides the next action. */
  | { readonly kind: 'observe' }
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'backoff' }
  /** Nothing is retried until something changes. Without `why`, the failure itself is the reason. */
  | { readonly kind: 'stall'; readonly why?: Extract<NextAction, { kind: 'stall' }> };

function afterRemediation(remediation: Remediation | undefined): AfterFailure {
  if (remediation === undefined || !isExhausted(remediation)) return { kind: 'backoff' };
  return { kind: 'stall', why: exhausted(remediation) };
}

function afterAttempt(
  { action, rejection, uncounted }: FailedAction,
  remediation: Remediation | undefined,
): AfterFailure {
  if (rejection === 'final') return { kind: 'stall' };
  if (rejection === 'passing' || uncounted) return { kind: 'backoff' };
  return action === 'rollback' || action === 'uninstall' ? afterRemediation(remediation) : { kind: 'observe' };
}

/**
 * One table; never throws. The strategy comes first: `RetryOnFailure` neither stalls nor remediates. Source: Flux's
 * atomic release, except for final rejections, which Flux retries with backoff.
 */
export function afterFailure(failed: FailedAction, remediation: Remediation | undefined): AfterFailure {
  if (remediation?.retryOnFailure !== true) return afterAttempt(failed, remediation);
  if (failed.action === 'test' && remediation.ignoreTestFailures) return { kind: 'observe' };
  return { kind: 'retry', afterMs: retryIntervalMs(remediation.retryInterval) };
}
