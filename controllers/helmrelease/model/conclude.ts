import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { getCondition } from '#lib/kube/conditions.js';
import { TransientError, ConflictError, WaitingError } from '#lib/errors.js';
import { retrying, type Problem } from '#engine/flux/model/progress.js';
import {
  atInterval,
  isReadyFor,
  type Conclusion as ConclusionOf,
  type End,
  afterError,
  isReported,
  withProblem,
  type Failure,
} from '#engine/flux/model/conclusion.js';
import type { NewEvent } from '#engine/flux/model/types.js';
import { readRequests } from '#engine/flux/model/requests.js';
import { clearsFailures, reportOf, type Acted, type Reported, type Then } from './action-report.js';
import { afterFailure, type FailedAction, type ReleaseAction } from './next-action.js';
import type { Plan } from './decide.js';
import { corrected, notDrifted } from './drift.js';
import { statusOfInterrupted } from './interrupted.js';
import { withObserved } from './observed-digests.js';
import { missingProblem, reportedMissing } from './missing.js';
import { activeRemediation } from './remediation.js';
import { truncateHistory } from './snapshot.js';
import { inSync, stalled } from './status.js';
import { lacksNamespace, missingNamespace, withNamespaceHint } from './namespace.js';
import type { HelmRelease } from './types.js';

/** The next action starts a new reconciliation, from the status that is written. */
const NEXT_ACTION_MS = 1_000;

export type Next =
  /** There may be more to do now. */
  { readonly kind: 'observe' } | End;

/** What one step of a reconciliation comes to. */
export type Conclusion = ConclusionOf<HelmReleaseStatus, Next>;

/** Milliseconds after which something that is missing is looked for again. */
interface Timing {
  readonly dependencyRequeueMs: number;
}

const OBSERVE: Next = { kind: 'observe' };

const SOON: Next = { kind: 'requeue', afterMs: NEXT_ACTION_MS };

const RESULTS: readonly string[] = ['Released', 'TestSuccess', 'Remediated'];

/** The event of an action: the condition that it changed. */
function eventsOf(before: HelmReleaseStatus, { status: after, error }: Reported): NewEvent[] {
  const changed = (after.conditions ?? []).find(({ type, status, message }) => {
    if (!RESULTS.includes(type) || status === 'Unknown') return false;
    const old = getCondition(before.conditions, type);
    return old?.message !== message || old.status !== status;
  });
  if (changed === undefined) return [];
  const { reason, message } = changed;
  return [{ type: error === undefined ? 'Normal' : 'Warning', reason, message }];
}

/** The failure in the words that the status already has. */
function errorOf(status: HelmReleaseStatus, error: string): TransientError {
  const ready = getCondition(status.conditions, 'Ready');
  return new TransientError(ready?.message ?? error, ready === undefined ? {} : { reason: ready.reason });
}

function concludeFailure(
  { release }: Plan['observed'],
  failed: FailedAction & { readonly error: string },
  { status, moment }: Then,
): Omit<Conclusion, 'events'> {
  const after = afterFailure(failed, activeRemediation({ spec: release.spec, status }));
  switch (after.kind) {
    case 'observe':
      return { status, next: OBSERVE };
    case 'backoff':
      return { status, next: { kind: 'fail', error: errorOf(status, failed.error) } };
    case 'retry':
      return { status: retrying(status, moment), next: { kind: 'requeue', afterMs: after.afterMs } };
    case 'stall': {
      const why = after.why ?? getCondition(status.conditions, 'Released') ?? { reason: 'ReconcileError', message: '' };
      return { status: stalled(status, moment, why), next: atInterval(release) };
    }
  }
}

function concludeAction(plan: Plan, action: ReleaseAction, acted: Acted, then: Then): Conclusion {
  const reported = reportOf(plan, acted, then);
  const { status, error, failed } = reported;
  const events = eventsOf(plan.status, reported);
  const after = { ...then, status };
  if (error !== undefined) {
    const failure = { action, error, rejection: failed?.rejection, uncounted: failed?.uncounted === true };
    return { ...concludeFailure(plan.observed, failure, after), events };
  }
  if (action !== 'rollback' && action !== 'uninstall') return { status, events, next: OBSERVE };
  return { status: retrying(status, then.moment), events, next: SOON };
}

function concludeResume({ observed: { release }, status: before }: Plan, acted: Acted, then: Then): Conclusion {
  const { status, moment } = then;
  if (acted.kind !== 'resumed') return { status, events: [], next: OBSERVE };
  const { record, now, entries, isCurrentSpec } = acted;
  const clearFailures = clearsFailures(release, status);
  const known = statusOfInterrupted(status, moment, { record, now, clearFailures });
  if (known === undefined) return { status, events: [], next: OBSERVE };
  const observed = isCurrentSpec ? withObserved(known, release.spec) : known;
  const next = entries === undefined ? observed : { ...observed, inventory: { entries: [...entries] } };
  const error = record.info.status === 'failed' ? (record.info.description ?? '') : undefined;
  return { status: next, events: eventsOf(before, { status: next, error }), next: OBSERVE };
}

function withDriftAfter(plan: Plan, acted: Acted, { status, moment }: Then): Pick<Conclusion, 'status' | 'events'> {
  const { release, drifted } = plan.observed;
  if (acted.kind === 'corrected') return corrected(status, moment, { ...acted.correction, spec: release.spec });
  if (drifted.length > 0) return { status, events: [] };
  return { status: notDrifted(status, moment, release.spec), events: [] };
}

/** The objects that are still missing after a correction: why the release is not Ready. */
function problemAfter({ observed: { release, missing } }: Plan, acted: Acted): Problem | undefined {
  if (missing === undefined) return undefined;
  const done = acted.kind === 'corrected' ? acted.correction.done : [];
  const isBack = (subject: string): boolean => done.some((line) => line.startsWith(`${subject} `));
  return missingProblem(release, { ...missing, subjects: missing.subjects.filter((subject) => !isBack(subject)) });
}

function missingEvents({ observed: { release } }: Plan, problem: Problem | undefined): NewEvent[] {
  const isKnown = problem === undefined || problem.message === reportedMissing(release.status)?.message;
  return isKnown ? [] : [{ type: 'Warning', ...problem }];
}

/** When a release that has nothing left to do is looked at again. `isNews`: something became known to be missing. */
function nextLook({ observed }: Plan, { dependencyRequeueMs }: Timing, isNews: boolean): Next {
  const { release, isNewlyWatched, progress, missing } = observed;
  // Objects may have changed between the action and the start of their watch.
  if (isNewlyWatched && progress.actions.length > 0) return SOON;
  const isOpen = missing?.looksAgain === true || isNews;
  return isOpen ? { kind: 'requeue', afterMs: dependencyRequeueMs } : atInterval(release);
}

/** The end of a reconciliation that has nothing left to do. */
function concludeDone(plan: Plan, acted: Acted, then: Then & Timing): Conclusion {
  const { release } = plan.observed;
  const { spec, metadata, status: before } = release;
  const { status: current, events } = withDriftAfter(plan, acted, then);
  const ignoreFailures =
    activeRemediation({ spec, status: current })?.ignoreTestFailures ?? spec.test?.ignoreFailures === true;
  const { history } = current;
  const kept = history === undefined ? current : { ...current, history: truncateHistory(history, ignoreFailures) };
  // An action that rolled the spec out has recorded it already.
  const observed = isReadyFor(before, metadata.generation) ? withObserved(kept, spec) : kept;
  const problem = problemAfter(plan, acted);
  const news = missingEvents(plan, problem);
  const next = nextLook(plan, then, news.length > 0);
  return { status: inSync(observed, then.moment, problem), events: [...events, ...news], next };
}

/** What a decision came to. Never throws. */
export function conclude(plan: Plan, acted: Acted, then: Then & Timing): Conclusion {
  const { decision, observed } = plan;
  switch (decision.kind) {
    case 'act':
      return concludeAction(plan, decision.action, acted, then);
    case 'resume':
      return concludeResume(plan, acted, then);
    case 'correct':
    case 'done':
      return concludeDone(plan, acted, then);
    case 'stall':
      // Watched by nobody: a ConfigMap with values may be fixed at any time.
      return { status: stalled(then.status, then.moment, decision), events: [], next: atInterval(observed.release) };
    case 'later':
      return { status: then.status, events: [], next: SOON };
  }
}

/** A namespace may be created at any moment, and nothing reports it: backoff might wait for minutes by then. */
function retried(release: HelmRelease, error: unknown, { dependencyRequeueMs }: Timing): unknown {
  if (!(error instanceof TransientError) || !lacksNamespace(release, missingNamespace(error))) return error;
  return new WaitingError(error.reason ?? 'ReconcileError', error.message, {
    cause: error,
    retryAfterMs: dependencyRequeueMs,
  });
}

/** The result of a reconciliation that an error ends. Never throws. */
export function concludeError(
  release: HelmRelease,
  failure: Failure,
  { status, moment, dependencyRequeueMs }: Then & Timing,
): ConclusionOf<HelmReleaseStatus> {
  const { error, problem } = failure;
  const message = withNamespaceHint(release, problem.message, missingNamespace(error));
  const told = { ...failure, problem: { ...problem, message } };
  const known = isReported(release, failure) ? withProblem(status, moment, told) : status;
  // The request behind a conflict is still to be answered.
  const reported = error instanceof ConflictError ? known : { ...known, ...readRequests(release).handled };
  const next = afterError(release, retried(release, error, { dependencyRequeueMs }));
  return { status: reported, events: [], next };
}
