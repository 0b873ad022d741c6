import type { Condition } from '#api/meta.js';
import { getCondition } from '#lib/kube/conditions.js';
import { retryIntervalMs } from '#engine/flux/model/timing.js';
import {
  activeRemediation,
  installRemediation,
  isExhausted,
  upgradeRemediation,
  type Remediation,
  type RemediationInput,
} from './remediation.js';
import { previousSuccess, type Snapshot } from './snapshot.js';
import type { StateFinding } from './state.js';

export type ReleaseAction = 'install' | 'upgrade' | 'unlock' | 'test' | 'rollback' | 'uninstall';

/** An action of Helm to run. */
export type ActionToRun = { readonly kind: 'act'; readonly why: string } & (
  | { readonly action: Exclude<ReleaseAction, 'rollback'> }
  /** `target`: the revision to roll back to. */
  | { readonly action: 'rollback'; readonly target: Snapshot }
);

/** The one thing to do next, and why. */
export type NextAction =
  | ActionToRun
  /** The newest revision is not the one in the history: upgrade, whatever the history says. */
  | { readonly kind: 'adopt'; readonly why: string }
  /** Bring live objects back to what the release says, without a new revision. */
  | { readonly kind: 'correct'; readonly why: string }
  | { readonly kind: 'done'; readonly why: string }
  /** Do nothing until something changes. */
  | { readonly kind: 'stall'; readonly reason: 'RetriesExceeded' | 'MissingRollbackTarget'; readonly message: string };

export interface ActionFacts extends RemediationInput {
  readonly status: RemediationInput['status'] & { readonly conditions?: readonly Condition[] };
  readonly spec: RemediationInput['spec'] & {
    readonly driftDetection?: { readonly mode?: string | undefined } | undefined;
  };
  readonly history: readonly Snapshot[];
  /** Revisions that Helm's storage still holds. */
  readonly storedVersions: readonly number[];
  /** A new `forceAt` was asked for. */
  readonly forced: boolean;
}

function settled(facts: ActionFacts, finding: StateFinding): NextAction {
  if (facts.forced) return act('upgrade', 'an upgrade was requested by annotation');
  const corrects = finding.state === 'Drifted' && facts.spec.driftDetection?.mode === 'enabled';
  return { kind: corrects ? 'correct' : 'done', why: finding.why };
}

function act(action: Exclude<ReleaseAction, 'rollback'>, why: string): ActionToRun {
  return { kind: 'act', action, why };
}

const MORE_ATTEMPTS =
  'change the spec, or ask for more attempts with "fairlead sync APPLICATION --reset", or with the annotations ' +
  'reconcile.fluxcd.io/requestedAt and reconcile.fluxcd.io/resetAt of one new value';

/** No attempt is left. */
function exhausted(remediation: Remediation): Extract<NextAction, { kind: 'stall' }> {
  const attempts = remediation.failures;
  return {
    kind: 'stall',
    reason: 'RetriesExceeded',
    message: `Failed to ${remediation.action} after ${attempts} attempt(s): ${MORE_ATTEMPTS}`,
  };
}

function attempt(remediation: Remediation, forced: boolean, why: string): NextAction {
  if (!forced && !remediation.retryOnFailure && isExhausted(remediation)) return exhausted(remediation);
  return act(remediation.action, why);
}

function remediate(remediation: Remediation, facts: ActionFacts, why: string): NextAction {
  if (remediation.strategy === 'uninstall') return act('uninstall', why);
  const target = previousSuccess(facts.history, remediation.ignoreTestFailures);
  const isStored = target !== undefined && facts.storedVersions.includes(target.version);
  if (target !== undefined && !isStored && !isExhausted(remediation)) {
    return act('upgrade', `${why}; revision ${target.version} to roll back to is not in storage any more`);
  }
  if (target === undefined || !isStored) {
    return {
      kind: 'stall',
      reason: 'MissingRollbackTarget',
      message: 'Failed to perform remediation: missing target release for rollback',
    };
  }
  return { kind: 'act', action: 'rollback', why: `${why}; back to revision ${target.version}`, target };
}

function forFailed(facts: ActionFacts, why: string): NextAction {
  const remediation = activeRemediation(facts);
  // Without a counted failure the inputs have changed since: an upgrade may well fix it.
  if (facts.forced || !remediation || remediation.retryOnFailure || remediation.failures <= 0)
    return act('upgrade', why);
  // Without a retry left, a remediation that failed itself is not tried again.
  const remedy = getCondition(facts.status.conditions, 'Remediated');
  const isOver = !remediation.remediateLastFailure || remedy?.status === 'False';
  if (isExhausted(remediation) && isOver) return exhausted(remediation);
  return remediate(remediation, facts, why);
}

/**
 * The action that a state calls for. One table; never throws. Source: Flux's atomic release.
 *
 *   Absent -> install          Locked -> unlock           Unmanaged -> adopt (then upgrade)
 *   Failed -> upgrade | rollback | uninstall | stall      OutOfSync -> upgrade
 *   Untested -> test           Drifted -> correct where drift detection is enabled, else done
 *   InSync -> done             (a force request upgrades)
 */
export function nextAction(finding: StateFinding, facts: ActionFacts): NextAction {
  const { state, why } = finding;
  switch (state) {
    case 'Absent':
      return attempt(installRemediation(facts), facts.forced, why);
    case 'Locked':
      return act('unlock', why);
    case 'Unmanaged':
      return { kind: 'adopt', why };
    case 'Failed':
      return forFailed(facts, why);
    case 'OutOfSync':
      return attempt(upgradeRemediation(facts), facts.forced, why);
    case 'Untested':
      return act('test', why);
    case 'Drifted':
    case 'InSync':
      return settled(facts, finding);
  }
}

/** How an action failed. */
export interface FailedAction {
  readonly action: ReleaseAction;
  /** Helm does not render the chart. `final`: not with these values, whatever is on the cluster. */
  readonly rejection?: 'final' | 'passing' | undefined;
  /** The attempt left no revision in Helm's storage. */
  readonly uncounted: boolean;
}

/** The consequence of a failed action. */
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
