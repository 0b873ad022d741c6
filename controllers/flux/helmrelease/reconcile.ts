import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import { helmReleaseResource } from '../../../api/flux/helm-release.js';
import { LostArtifactError } from '../../engine/artifact/lost-artifact.js';
import { healthRulesOf } from '../../engine/health/expressions.js';
import type { PassContext, Result } from '../../runtime/controller.js';
import {
  CancelledError,
  ConflictError,
  ControllerError,
  TerminalError,
  TransientError,
} from '../../runtime/pure/errors.js';
import type { Member } from '../../engine/member/member.js';
import { timestamp } from '../../runtime/pure/conditions.js';
import { keyOf, parseKey } from '../../runtime/pure/keys.js';
import { reasonText } from './actions/context.js';
import { uninstall } from './actions/uninstall.js';
import { refuseWrongRules } from './drift.js';
import { ensureFinalizer, finalize } from './finalize.js';
import { reconcileHelmChart } from './helm-chart.js';
import type { Host } from './host.js';
import { refusalOf } from './model/refusals.js';
import { withNamespaceHint } from './model/missing-namespace.js';
import { attempting } from './model/attempting.js';
import { isReadyFor } from './model/conditions.js';
import { readRequests } from './model/requests.js';
import {
  notReady,
  progressing,
  withoutFailures,
  withoutHistory,
  type ReleaseStatusFields,
  type StatusContext,
} from './model/status.js';
import { currentTarget, desiredTarget, targetChange } from './model/target.js';
import { intervalMs } from './model/timing.js';
import type { HelmRelease } from './model/types.js';
import { actionContext, observeInputs, observeMember, requireDependencies, type Inputs } from './observe.js';
import { reconcileRelease, type ReleasePass } from './release-loop.js';
import { createStatusWriter, type StatusWriter } from './status-writer.js';
import { mayTakeDown } from './take-down.js';
import { uninstallOptions } from './uninstall-options.js';

/** The pass looked at something old, and noticed before it did anything. */
class StaleReadError extends ConflictError {}

interface Pass {
  readonly host: Host;
  readonly release: HelmRelease;
  readonly statusContext: StatusContext;
  readonly writer: StatusWriter;
  readonly passContext: PassContext;
  status: ReleaseStatusFields;
}

function statusContextOf(host: Host, { metadata, spec }: HelmRelease): StatusContext {
  const testsEnabled = spec.test?.enable === true;
  return {
    generation: metadata.generation ?? 0,
    // Read anew for each condition: a pass may take minutes, and a transition has its own time.
    get now() {
      return timestamp(host.now());
    },
    testsEnabled,
    testsCount: testsEnabled && spec.test?.ignoreFailures !== true,
  };
}

function refuse(release: HelmRelease): void {
  const refusal = refusalOf(release);
  if (refusal !== undefined) throw new TerminalError(refusal.reason, refusal.message);
  refuseWrongRules(release.spec);
}

/**
 * A cache that is behind may not know the revision that we made last: acting on it would make one too many. Read once
 * more before the first action of a pass; an idle pass never gets here.
 */
async function requireFresh(host: Host, release: HelmRelease, signal: AbortSignal): Promise<void> {
  const live = await host.kube.get<HelmRelease>(helmReleaseResource, release.metadata, { signal });
  if (live?.metadata.resourceVersion === release.metadata.resourceVersion) return;
  throw new StaleReadError(`HelmRelease ${keyOf(release.metadata)} changed since it was cached`);
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
  const { host, release, passContext } = pass;
  const current = currentTarget(release);
  const why = reasonToLeave(release, inputs);
  if (current === undefined || why === undefined) return false;
  await requireFresh(host, release, passContext.signal);
  const message = `Uninstalling release ${current.namespace}/${current.releaseName}: ${why}`;
  pass.status = progressing(pass.status, pass.statusContext, message);
  await pass.writer.write(pass.status);
  const context = actionContext(host, release, { member, target: current, ...passContext });
  const verdict = await mayTakeDown(release, context, 'moved');
  if (verdict?.allowed === true) {
    const { error } = await uninstall(context, uninstallOptions(release.spec));
    if (error !== undefined) throw new TransientError(`${message}: ${error}`, { reason: 'UninstallFailed' });
  }
  pass.status = withoutFailures(withoutHistory(pass.status));
  return true;
}

async function reconcilePresent(pass: Pass): Promise<Result> {
  const { host, release, passContext } = pass;
  const { signal } = passContext;
  refuse(release);
  const healthRules = healthRulesOf(release.spec.healthCheckExprs ?? []);
  requireDependencies(host, release);
  const { chart, statusName } = await reconcileHelmChart(host, release, signal);
  pass.status = { ...omit(pass.status, 'helmChart'), ...(statusName === undefined ? {} : { helmChart: statusName }) };
  const inputs = await observeInputs(host, release, chart, signal);
  const member = await observeMember(host, release, signal);
  if (await leaveOldTarget(pass, inputs, member)) return { requeueAfterMs: 1 };
  const target = desiredTarget(release);
  const context = actionContext(host, release, { member, target, healthRules, ...passContext });
  const requests = readRequests(release);
  const attempt = {
    generation: release.metadata.generation ?? 0,
    revision: inputs.chart.metadata.version,
    configDigest: inputs.configDigest,
  };
  // A reset that is written counts as answered: failures that come after it count again.
  const answered = requests.reset ? pick(requests.handled, 'lastHandledResetAt') : {};
  const status = attempting(pass.status, attempt, requests.reset);
  pass.status = { ...status, ...answered, storageNamespace: target.storageNamespace };
  const { writer, statusContext } = pass;
  const releasePass: ReleasePass = {
    host,
    release,
    context,
    inputs,
    statusContext,
    writer,
    log: passContext.log,
    status: pass.status,
    requireFresh: () => requireFresh(host, release, signal),
  };
  try {
    return await reconcileRelease(releasePass);
  } finally {
    pass.status = releasePass.status;
  }
}

/**
 * A lost artifact is a matter of our own store. While the release runs as its spec says, that is no news for its user;
 * when something is to be rolled out, it is what the roll-out waits for.
 */
function isNews(pass: Pass, error: unknown): boolean {
  if (!(error instanceof LostArtifactError)) return true;
  const { status, metadata } = pass.release;
  return !isReadyFor(status, metadata.generation);
}

function recordError(pass: Pass, error: unknown): void {
  if (!isNews(pass, error)) return;
  const reason = error instanceof ControllerError ? reasonOf(error) : 'InternalError';
  const text = error instanceof ControllerError ? reasonText(error) : 'an unexpected error: see the controller log';
  const message = withNamespaceHint(pass.release, text);
  pass.status = notReady(pass.status, pass.statusContext, { reason, message, stalled: error instanceof TerminalError });
}

function reasonOf(error: ControllerError): string {
  return error.reason === 'TransientError' ? 'ReconcileError' : error.reason;
}

/** What stands in the way may go without a word to us, on a member for one: it is looked for at the interval. */
function lookAgain({ release, passContext }: Pass, error: TerminalError): Result {
  passContext.log.warn({ reason: error.reason, err: error.message }, 'release cannot be reconciled');
  return { requeueAfterMs: intervalMs(release.spec, release.metadata.uid ?? '') };
}

async function runPass(pass: Pass): Promise<Result> {
  const { handled } = readRequests(pass.release);
  try {
    const result = await reconcilePresent(pass);
    await pass.writer.write({ ...pass.status, ...handled });
    return result;
  } catch (error: unknown) {
    // What was computed from an old read would undo what has been written since.
    if (error instanceof CancelledError || error instanceof StaleReadError) throw error;
    const isConflict = error instanceof ConflictError;
    // A conflict says nothing about the release, but what was done before it must not be forgotten.
    if (!isConflict) recordError(pass, error);
    await pass.writer.write(isConflict ? pass.status : { ...pass.status, ...handled });
    if (error instanceof TerminalError) return lookAgain(pass, error);
    throw error;
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
export async function reconcileHelmRelease(host: Host, key: string, passContext: PassContext): Promise<Result> {
  const release = host.releases.get(parseKey(key));
  if (isLeftAlone(release)) host.managed?.drop(key);
  if (release === undefined) return {};
  if (release.metadata.deletionTimestamp !== undefined) return finalize(host, release, passContext);
  if (release.spec.suspend === true) return {};
  const current = await ensureFinalizer(host, release, passContext.signal);
  return runPass({
    host,
    release: current,
    passContext,
    statusContext: statusContextOf(host, current),
    writer: createStatusWriter(host.kube, current),
    status: current.status ?? {},
  });
}
