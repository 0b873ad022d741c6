import { exhausted, type Decision, type ReleaseAction } from './decide.js';
import { isExhausted, type Remediation } from './remediation.js';
import { retryIntervalMs } from '../../shared/model/timing.js';

/** How an action failed. */
export interface FailedAction {
  readonly action: ReleaseAction;
  /**
   * Present when helm would not render the chart. `lasting`: it says the same of this chart and these values whatever is
   * on the cluster.
   */
  readonly refusal?: 'lasting' | 'passing' | undefined;
  /** The attempt left no revision in Helm's storage. */
  readonly uncounted: boolean;
}

/** What a pass does after an action that failed. */
export type AfterFailure =
  /** Look at the state again: it calls for the next action. */
  | { readonly kind: 'look' }
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'backoff' }
  /** Nothing is tried before something changes; without `why` for the reason that the failure itself gave. */
  | { readonly kind: 'stall'; readonly why?: Extract<Decision, { kind: 'stall' }> };

function afterRemedy(remediation: Remediation | undefined): AfterFailure {
  if (remediation === undefined || !isExhausted(remediation)) return { kind: 'backoff' };
  return { kind: 'stall', why: exhausted(remediation) };
}

function afterAttempt(
  { action, refusal, uncounted }: FailedAction,
  remediation: Remediation | undefined,
): AfterFailure {
  if (refusal === 'lasting') return { kind: 'stall' };
  if (refusal === 'passing' || uncounted) return { kind: 'backoff' };
  return action === 'rollback' || action === 'uninstall' ? afterRemedy(remediation) : { kind: 'look' };
}

/**
 * One table; never throws. The strategy comes first: `RetryOnFailure` neither stalls nor remedies. Source: Flux's atomic
 * release, but for lasting refusals, which it tries again with backoff.
 */
export function afterFailure(failed: FailedAction, remediation: Remediation | undefined): AfterFailure {
  if (remediation?.retryOnFailure !== true) return afterAttempt(failed, remediation);
  if (failed.action === 'test' && remediation.ignoreTestFailures) return { kind: 'look' };
  return { kind: 'retry', afterMs: retryIntervalMs(remediation.retryInterval) };
}
