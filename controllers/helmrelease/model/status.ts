import omit from 'lodash/omit.js';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { getCondition, isTrue } from '#lib/kube/conditions.js';
import { defined } from '#lib/plain.js';
import {
  progressing,
  stalledBy,
  withCondition,
  withoutConditions,
  type PassMoment,
  type Problem,
} from '#engine/flux/model/progress.js';
import { readRequests } from '#engine/flux/model/requests.js';
import {
  failureMessage,
  reasonOf,
  runningMessage,
  successMessage,
  summarizeReady,
  type Attempted,
  type ConditionInput,
} from './conditions.js';
import { describeSnapshot, recordSnapshot, type Snapshot } from './snapshot.js';
import { actionTimeoutMs } from './timing.js';
import type { HelmRelease } from './types.js';

/** What the functions below need to know of the reconciliation. */
export interface StatusContext extends PassMoment {
  readonly testsEnabled: boolean;
  /** Failing tests make the release not Ready. */
  readonly testsCount: boolean;
}

/** `problem`: why the release is not Ready, whatever its last action came to. */
function sumUp(all: HelmReleaseStatus, context: StatusContext, problem?: Problem): HelmReleaseStatus {
  const status = context.testsEnabled ? all : withoutConditions(all, 'TestSuccess');
  const verdict = problem && ({ type: 'Ready', status: 'False', ...problem } as const);
  const ready = verdict ?? summarizeReady(status.conditions ?? [], context.testsCount);
  return ready === undefined ? status : withCondition(status, context, ready);
}

/**
 * The deployed revision is the desired one: it counts as released, even if a later attempt left no revision, or a
 * rollback deployed it.
 */
function asReleased(status: HelmReleaseStatus, context: StatusContext): HelmReleaseStatus {
  const [latest] = status.history ?? [];
  const isRemedy = getCondition(status.conditions, 'Remediated') !== undefined;
  if (latest === undefined || (isTrue(status.conditions, 'Released') && !isRemedy)) return status;
  const { reason } = getCondition(status.conditions, 'Released') ?? {};
  const action = !isRemedy && reason === reasonOf('install', false) ? 'install' : 'upgrade';
  return withCondition(withoutConditions(status, 'Remediated'), context, {
    type: 'Released',
    status: 'True',
    reason: reasonOf(action, true),
    message: successMessage(action, latest),
  });
}

/**
 * The status while an install or upgrade runs. The requests count as handled, as in Flux: an action that ends in a
 * conflict must not be requested by the same annotation again.
 */
export function announced(
  status: HelmReleaseStatus,
  context: StatusContext,
  { action, release }: { readonly action: 'install' | 'upgrade'; readonly release: HelmRelease },
): HelmReleaseStatus {
  const message = runningMessage(action, actionTimeoutMs(release.spec, action));
  // The duration is that of the action before.
  const before = omit(status, 'lastAttemptedReleaseActionDuration');
  const { handled } = readRequests(release);
  return { ...progressing(before, context, message), ...handled, lastAttemptedReleaseAction: action };
}

/** The end of a reconciliation that found the release in its desired state; `problem`: what it lacks all the same. */
export function inSync(status: HelmReleaseStatus, context: StatusContext, problem?: Problem): HelmReleaseStatus {
  const summed = sumUp(asReleased(withoutConditions(status, 'Reconciling', 'Stalled'), context), context, problem);
  return { ...summed, observedGeneration: context.generation };
}

/** The end of a reconciliation after which nothing is retried until something changes. */
export function stalled(status: HelmReleaseStatus, context: StatusContext, problem: Problem): HelmReleaseStatus {
  return stalledBy(sumUp(status, context), context, problem);
}

/** An install or upgrade that succeeded. */
export function released(
  status: HelmReleaseStatus,
  context: StatusContext,
  outcome: { readonly action: 'install' | 'upgrade'; readonly snapshot: Snapshot; readonly clearFailures: boolean },
): HelmReleaseStatus {
  const { action, snapshot, clearFailures } = outcome;
  const history = action === 'install' ? [snapshot] : recordSnapshot(status.history ?? [], snapshot);
  const message = successMessage(action, snapshot);
  const done = withCondition({ ...status, history }, context, {
    type: 'Released',
    status: 'True',
    reason: reasonOf(action, true),
    message,
  });
  const settled = withoutConditions(done, 'Remediated', 'TestSuccess');
  const tested = context.testsEnabled ? awaitTests(settled, context, snapshot) : settled;
  return clearFailures ? withoutFailures(tested) : tested;
}

function awaitTests(status: HelmReleaseStatus, context: StatusContext, snapshot: Snapshot): HelmReleaseStatus {
  const message = `Helm release ${describeSnapshot(snapshot)} is awaiting tests`;
  return withCondition(status, context, { type: 'TestSuccess', status: 'Unknown', reason: 'AwaitingTests', message });
}

/** An install or upgrade that failed. It counts if it has a `snapshot`: a revision in Helm's storage. */
export function releaseFailed(
  status: HelmReleaseStatus,
  context: StatusContext,
  outcome: {
    readonly action: 'install' | 'upgrade';
    readonly attempted: Attempted;
    readonly error: string;
    readonly snapshot: Snapshot | undefined;
  },
): HelmReleaseStatus {
  const { action, attempted, error, snapshot } = outcome;
  const counter = action === 'install' ? 'installFailures' : 'upgradeFailures';
  // An install starts a new history, even if it fails.
  const before = action === 'install' ? [] : (status.history ?? []);
  const counted: HelmReleaseStatus = {
    ...status,
    failures: (status.failures ?? 0) + 1,
    ...(snapshot === undefined
      ? {}
      : { [counter]: (status[counter] ?? 0) + 1, history: recordSnapshot(before, snapshot) }),
  };
  const failed = withCondition(withoutConditions(counted, 'TestSuccess', 'Remediated'), context, {
    type: 'Released',
    status: 'False',
    reason: reasonOf(action, false),
    message: failureMessage(action, attempted, error),
  });
  return sumUp(failed, context);
}

/** A pending revision that was unlocked: it counts as failed from now on. */
export function unlocked(
  status: HelmReleaseStatus,
  context: StatusContext,
  opened: {
    readonly snapshot: Snapshot;
    readonly was: string;
    /** This HelmRelease created the revision. */
    readonly isOwn: boolean;
  },
): HelmReleaseStatus {
  const { snapshot, was, isOwn } = opened;
  const message = `Unlocked Helm release ${describeSnapshot(snapshot)} in status ${was}`;
  // An interrupted action of ours continues from there; a revision of another owner is adopted next.
  const known = isOwn || status.history?.some(({ version }) => version === snapshot.version) === true;
  const history = known ? recordSnapshot(status.history ?? [], snapshot) : status.history;
  const next = history === undefined ? status : { ...status, history };
  return sumUp(
    withCondition(next, context, { type: 'Released', status: 'False', reason: 'PendingRelease', message }),
    context,
  );
}

/** A rollback or uninstall after a failure. */
export function remediated(
  status: HelmReleaseStatus,
  context: StatusContext,
  outcome: {
    readonly action: 'rollback' | 'uninstall';
    readonly snapshot: Snapshot;
    /** The target of a rollback, for the message. */
    readonly target: Snapshot;
    readonly error: string | undefined;
  },
): HelmReleaseStatus {
  const { action, snapshot, target, error } = outcome;
  const what = action === 'rollback' ? 'rollback to previous release' : 'uninstall remediation for release';
  const result = error === undefined ? 'succeeded' : `failed: ${error}`;
  const name = action === 'rollback' ? 'Rollback' : 'Uninstall';
  const history = recordSnapshot(status.history ?? [], snapshot);
  const failures = error === undefined ? {} : { failures: (status.failures ?? 0) + 1 };
  const next = withCondition({ ...status, ...failures, history }, context, {
    type: 'Remediated',
    status: error === undefined ? 'True' : 'False',
    reason: `${name}${error === undefined ? 'Succeeded' : 'Failed'}`,
    message: `Helm ${what} ${describeSnapshot(target)} ${result}`,
  });
  return sumUp(next, context);
}

function countFailedTest(status: HelmReleaseStatus): HelmReleaseStatus {
  const counter = status.lastAttemptedReleaseAction === 'install' ? 'installFailures' : 'upgradeFailures';
  return { ...status, [counter]: (status[counter] ?? 0) + 1 };
}

function completedTests({ testHooks = {} }: Snapshot): string {
  const count = Object.keys(testHooks).length;
  if (count === 0) return 'no test hooks';
  return `${count} test hook${count === 1 ? '' : 's'} completed successfully`;
}

/** The result of the release's tests. `counts`: a failure counts as one of the last action. */
export function tested(
  status: HelmReleaseStatus,
  context: StatusContext,
  outcome: { readonly snapshot: Snapshot; readonly error: string | undefined; readonly counts: boolean },
): HelmReleaseStatus {
  const { snapshot, error, counts } = outcome;
  const failed = error === undefined ? status : { ...status, failures: (status.failures ?? 0) + 1 };
  const counted = error !== undefined && counts ? countFailedTest(failed) : failed;
  const history = recordSnapshot(status.history ?? [], snapshot);
  const release = describeSnapshot(snapshot);
  const verdict: Omit<ConditionInput, 'observedGeneration' | 'type'> =
    error === undefined
      ? {
          status: 'True',
          reason: 'TestSucceeded',
          message: `Helm test succeeded for release ${release}: ${completedTests(snapshot)}`,
        }
      : { status: 'False', reason: 'TestFailed', message: `Helm test failed for release ${release}: ${error}` };
  return sumUp(withCondition({ ...counted, history }, context, { type: 'TestSuccess', ...verdict }), context);
}

/** `status` without failure counters: after a change of inputs, old failures do not count. */
export function withoutFailures(status: HelmReleaseStatus): HelmReleaseStatus {
  return omit(status, 'failures', 'installFailures', 'upgradeFailures');
}

/** `status` without history: the release moved, or someone else changed it. */
export function withoutHistory(status: HelmReleaseStatus): HelmReleaseStatus {
  return omit(status, 'history');
}

/** The inputs of the next action. */
interface Attempt {
  readonly generation: number;
  readonly revision: string;
  readonly configDigest: string;
  /** Absent: the chart is from no OCI artifact. */
  readonly ociDigest?: string | undefined;
}

/** Records the inputs of this attempt; resets the failure counters if one of them changed, or on `reset`. */
export function withAttempt(status: HelmReleaseStatus, inputs: Attempt, reset: boolean): HelmReleaseStatus {
  const changed =
    status.lastAttemptedGeneration !== inputs.generation ||
    status.lastAttemptedRevision !== inputs.revision ||
    status.lastAttemptedConfigDigest !== inputs.configDigest;
  const base = changed || reset ? withoutFailures(status) : status;
  return {
    ...omit(base, 'lastAttemptedRevisionDigest'),
    lastAttemptedGeneration: inputs.generation,
    lastAttemptedRevision: inputs.revision,
    lastAttemptedConfigDigest: inputs.configDigest,
    ...defined({ lastAttemptedRevisionDigest: inputs.ociDigest }),
  };
}
