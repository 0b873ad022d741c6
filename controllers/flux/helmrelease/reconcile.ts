import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import { LostArtifactError } from '../../engine/artifact/lost-artifact.js';
import { healthRulesOf } from '../../engine/health/expressions.js';
import type { PassContext, Result } from '../../runtime/controller.js';
import {
  CancelledError,
  ConflictError,
  TerminalError,
  TransientError,
  WaitingError,
} from '../../runtime/pure/errors.js';
import type { Member } from '../../engine/member/member.js';
import { parseKey } from '../../runtime/pure/keys.js';
import type { KeptStatus } from '../shared/kept-status.js';
import { notReady, preparing, progressing } from '../shared/model/progress.js';
import { requireDependencies } from '../shared/dependencies.js';
import { problemOf } from '../shared/failure.js';
import { ensureFinalizer } from '../shared/finalizers.js';
import { StaleReadError } from '../shared/fresh.js';
import { targetCluster } from '../shared/target-cluster.js';
import { uninstall } from './actions/uninstall.js';
import { refuseWrongRules } from './drift.js';
import { finalize } from './finalize.js';
import { reconcileHelmChart } from './helm-chart.js';
import type { Deps } from './deps.js';
import { refusalOf } from './model/refusals.js';
import { lacksNamespace, withNamespaceHint } from './model/missing-namespace.js';
import { attempting } from './model/attempting.js';
import { isReadyFor } from './model/conditions.js';
import { readRequests } from '../shared/model/requests.js';
import { withoutFailures, withoutHistory, type StatusContext } from './model/status.js';
import { currentTarget, desiredTarget, targetChange } from './model/target.js';
import { intervalMs } from '../shared/model/timing.js';
import type { HelmRelease } from './model/types.js';
import { actionContext, observeInputs, type Inputs } from './observe.js';
import { reconcileRelease } from './release-loop.js';
import { keptStatus, requireFresh, statusContextOf, writerOf } from './release-pass.js';
import { mayTakeDown } from './take-down.js';
import { uninstallOptions } from './uninstall-options.js';

/** Milliseconds in which most passes have something to say of themselves. */
const SILENCE_MS = 1_000;

interface Pass {
  readonly deps: Deps;
  readonly release: HelmRelease;
  readonly statusContext: StatusContext;
  readonly status: KeptStatus<HelmReleaseStatus>;
  readonly passContext: PassContext;
}

function refuse(release: HelmRelease): void {
  const refusal = refusalOf(release);
  if (refusal !== undefined) throw new TerminalError(refusal.reason, refusal.message);
  refuseWrongRules(release.spec);
}

/** Why the release must go from where it is; undefined when it may stay. */
function reasonToLeave(release: HelmRelease, inputs: Inputs): string | undefined {
  const moved = targetChange(currentTarget(release), desiredTarget(release));
  if (moved !== undefined || release.spec.upgrade?.chartNameChangeStrategy === 'InPlaceUpdate') return moved;
  const before = release.status?.history?.[0]?.chartName;
  const { name } = inputs.chart.metadata;
  return before === undefined || before === name ? undefined : `chart name ${before} -> ${name}`;
}

/** The release moved: take it down where it is; the next pass installs it where it belongs. */
async function leaveOldTarget(pass: Pass, inputs: Inputs, member: Member): Promise<boolean> {
  const { deps, release, status, passContext } = pass;
  const current = currentTarget(release);
  const why = reasonToLeave(release, inputs);
  if (current === undefined || why === undefined) return false;
  await requireFresh(pass, passContext.signal);
  const message = `Uninstalling release ${current.namespace}/${current.releaseName}: ${why}`;
  status.current = progressing(status.current, pass.statusContext, message);
  await status.write();
  const context = actionContext(deps, release, { member, target: current, ...passContext });
  const verdict = await mayTakeDown(release, context, 'moved');
  if (verdict?.allowed === true) {
    const { error } = await uninstall(context, uninstallOptions(release.spec));
    if (error !== undefined) throw new TransientError(`${message}: ${error}`, { reason: 'UninstallFailed' });
  }
  status.current = withoutFailures(withoutHistory(status.current));
  return true;
}

/** A new generation whose chart, values or rendering take long is said to be in work, as Flux says it. */
function sayPreparing({ status, statusContext }: Pass, beyond: readonly string[]): void {
  status.sayLater((current) => preparing(current, statusContext, beyond), SILENCE_MS);
}

async function reconcilePresent(pass: Pass): Promise<Result> {
  const { deps, release, status, statusContext, passContext } = pass;
  const { signal } = passContext;
  refuse(release);
  const healthRules = healthRulesOf(release.spec.healthCheckExprs ?? []);
  requireDependencies(deps.settings, deps.releases, release);
  const { chart, statusName } = await reconcileHelmChart(deps, release, signal);
  const helmChart = statusName === undefined ? {} : { helmChart: statusName };
  status.current = { ...omit(status.current, 'helmChart'), ...helmChart };
  sayPreparing(pass, ['DependencyNotReady', 'SourceNotReady']);
  const inputs = await observeInputs(deps, release, chart, signal);
  sayPreparing(pass, ['DependencyNotReady', 'SourceNotReady', 'ValuesError']);
  const member = await targetCluster(deps, release, signal);
  if (await leaveOldTarget(pass, inputs, member)) return { requeueAfterMs: 1 };
  const target = desiredTarget(release);
  const context = actionContext(deps, release, { member, target, healthRules, ...passContext });
  const requests = readRequests(release);
  const tried = {
    generation: release.metadata.generation ?? 0,
    revision: inputs.chart.metadata.version,
    configDigest: inputs.configDigest,
  };
  // A reset that is written counts as answered: failures that come after it count again.
  const answered = requests.reset ? pick(requests.handled, 'lastHandledResetAt') : {};
  const next = attempting(status.current, tried, requests.reset);
  status.current = { ...next, ...answered, storageNamespace: target.storageNamespace };
  return reconcileRelease({ deps, release, context, inputs, statusContext, status });
}

/**
 * A lost artifact is a matter of our own store. While the release runs as its spec says, that is no news for its user;
 * when something is to be rolled out, it is what the roll-out waits for.
 */
function isNews({ status, metadata }: HelmRelease, error: unknown): boolean {
  if (!(error instanceof LostArtifactError)) return true;
  return !isReadyFor(status, metadata.generation);
}

function recordError({ release, status, statusContext }: Pass, error: unknown): void {
  if (!isNews(release, error)) return;
  const problem = problemOf(error, 'ReconcileError');
  const message = withNamespaceHint(release, problem.message);
  status.current = notReady(status.current, statusContext, { ...problem, message });
}

/** What stands in the way may go without a word to us, on a member for one: it is looked for at the interval. */
function lookAgain({ release, passContext }: Pass, error: TerminalError): Result {
  passContext.log.warn({ reason: error.reason, err: error.message }, 'release cannot be reconciled');
  return { requeueAfterMs: intervalMs(release.spec, release.metadata.uid ?? '') };
}

/** Somebody creates the namespace any minute, on a member without a word to us: by then backoff may wait for minutes. */
function awaited({ deps, release }: Pass, error: unknown): unknown {
  if (!(error instanceof TransientError) || !lacksNamespace(release, error.message)) return error;
  const { dependencyRequeueMs } = deps.settings;
  return new WaitingError(error.reason, error.message, { cause: error, retryAfterMs: dependencyRequeueMs });
}

async function attempt(pass: Pass): Promise<Result> {
  const { release, status } = pass;
  const { handled } = readRequests(release);
  try {
    const result = await reconcilePresent(pass);
    status.current = { ...status.current, ...handled };
    await status.write();
    return result;
  } catch (error: unknown) {
    // What was computed from an old read would undo what has been written since.
    if (error instanceof CancelledError || error instanceof StaleReadError) throw error;
    // A conflict says nothing about the release, but what was done before it must not be forgotten.
    if (!(error instanceof ConflictError)) {
      recordError(pass, error);
      status.current = { ...status.current, ...handled };
    }
    await status.write();
    if (error instanceof TerminalError) return lookAgain(pass, error);
    throw awaited(pass, error);
  }
}

async function runPass(pass: Pass): Promise<Result> {
  sayPreparing(pass, []);
  try {
    return await attempt(pass);
  } finally {
    await pass.status.settle();
  }
}

function isLeftAlone(release: HelmRelease | undefined): boolean {
  return release === undefined || release.metadata.deletionTimestamp !== undefined || release.spec.suspend === true;
}

/**
 * One pass over one HelmRelease.
 *
 *   gone -> nothing     deleted -> finalize     suspended -> nothing
 *   else: refusals -> dependencies -> HelmChart -> artifact and values -> member -> moved? -> release loop -> status
 */
export async function reconcileHelmRelease(deps: Deps, key: string, passContext: PassContext): Promise<Result> {
  const release = deps.releases.get(parseKey(key));
  if (isLeftAlone(release)) deps.managed?.drop(key);
  if (release === undefined) return {};
  if (release.metadata.deletionTimestamp !== undefined) return finalize(deps, release, passContext);
  if (release.spec.suspend === true) return {};
  const current = await ensureFinalizer(writerOf(deps), release, passContext.signal);
  return runPass({
    deps,
    release: current,
    passContext,
    statusContext: statusContextOf(deps, current),
    status: keptStatus(deps, current),
  });
}
