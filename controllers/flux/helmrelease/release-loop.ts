import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import type { Result } from '../../runtime/controller.js';
import { getCondition } from '../../runtime/pure/conditions.js';
import { TransientError } from '../../runtime/pure/errors.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { retrying, type Problem } from '../shared/model/progress.js';
import { correct, keepWatched, lookAtCluster, type ClusterState } from './drift.js';
import { afterFailure } from './model/after-failure.js';
import { isReadyFor } from './model/conditions.js';
import { decide, type Decision, type ReleaseAction } from './model/decide.js';
import { notDrifted, withDrift } from './model/drift.js';
import { commonMetadataDigest, postRenderersDigest, withObserved } from './model/observed-digests.js';
import { lastRevision, type StoredRevision } from './model/release.js';
import { isUnsaid } from './model/recalled.js';
import { activeRemediation } from './model/remediation.js';
import { readRequests } from '../shared/model/requests.js';
import { truncateHistory } from './model/snapshot.js';
import { releaseState, type StateFinding } from './model/state.js';
import { inSync, stalled, withoutHistory } from './model/status.js';
import { intervalMs } from '../shared/model/timing.js';
import { refuseForeignRelease } from './observe.js';
import { perform, type Step, type StepResult } from './perform.js';
import { recall } from './recall.js';
import { requireFresh, type ReleasePass } from './release-pass.js';

/** After a remediation the next step belongs to a new pass, which starts from what is written. */
const NEXT_STEP_MS = 1_000;

function observeState(pass: ReleasePass, revisions: readonly StoredRevision[]): StateFinding {
  const { release, inputs } = pass;
  const status = pass.status.current;
  const { metadata } = inputs.chart;
  const active = activeRemediation({ spec: release.spec, status });
  return releaseState({
    last: lastRevision(revisions),
    history: status.history ?? [],
    desired: {
      chartName: metadata.name,
      chartVersion: metadata.version,
      configDigest: inputs.configDigest,
      metadataDigest: commonMetadataDigest(release.spec),
      postRenderersDigest: postRenderersDigest(release.spec),
    },
    observedMetadataDigest: status.observedCommonMetadataDigest,
    observedPostRenderersDigest: status.observedPostRenderersDigest,
    isKnownToRun: isReadyFor(release.status, release.metadata.generation),
    tests: {
      enabled: release.spec.test?.enable === true,
      // Before the first action of ours there is nothing to remedy.
      ignoreFailures: active?.ignoreTestFailures ?? true,
    },
  });
}

/** The end of a pass in which no action is left to do. */
async function settle(
  pass: ReleasePass,
  decision: Extract<Decision, { kind: 'correct' | 'done' }>,
  { cluster, unseen }: { readonly cluster: ClusterState | undefined; readonly unseen: boolean },
): Promise<Result> {
  const { status, statusContext, release } = pass;
  if (cluster === undefined) status.current = notDrifted(status.current, statusContext, release.spec);
  else if (decision.kind === 'correct') {
    await status.settle();
    await correct(pass, cluster);
  }
  const result = finish(pass);
  return unseen ? { requeueAfterMs: NEXT_STEP_MS } : result;
}

function finish({ release, status, statusContext }: ReleasePass): Result {
  const { spec, status: before, metadata } = release;
  const { current } = status;
  const active = activeRemediation({ spec, status: current });
  const ignoreFailures = active?.ignoreTestFailures ?? spec.test?.ignoreFailures === true;
  const { history } = current;
  const kept = history === undefined ? current : { ...current, history: truncateHistory(history, ignoreFailures) };
  // An action that rolled the spec out has said so itself.
  const observed = isReadyFor(before, metadata.generation) ? withObserved(kept, spec) : kept;
  status.current = inSync(observed, statusContext);
  return { requeueAfterMs: intervalMs(spec, metadata.uid ?? '') };
}

function stall({ release, status, statusContext }: ReleasePass, problem: Problem): Result {
  status.current = stalled(status.current, statusContext, problem);
  // The values may be mended in a ConfigMap that nobody watches.
  return { requeueAfterMs: intervalMs(release.spec, release.metadata.uid ?? '') };
}

/** An event with what an action, or the memory of one, brought. */
function announce({ deps, release, status }: ReleasePass, before: HelmReleaseStatus, result: StepResult): void {
  const changed = (status.current.conditions ?? []).find(
    (condition) =>
      ['Released', 'TestSuccess', 'Remediated'].includes(condition.type) &&
      condition.status !== 'Unknown' &&
      !before.conditions?.some(
        (old) => old.type === condition.type && old.message === condition.message && old.status === condition.status,
      ),
  );
  if (changed === undefined) return;
  const kind = result.error === undefined ? 'Normal' : 'Warning';
  deps.events.record(release, kind, changed.reason, changed.message);
}

function stepOf(pass: ReleasePass, last: StoredRevision | undefined): Step {
  return { ...pass, decidedOn: last?.version ?? 0 };
}

async function runAction(
  pass: ReleasePass,
  action: ReleaseAction,
  { why, last }: { readonly why: string; readonly last: StoredRevision | undefined },
): Promise<StepResult> {
  const { context, status } = pass;
  context.log.info({ action, why, releaseName: context.releaseName }, 'running release action');
  const before = status.current;
  // Prerequisites are those of an install or upgrade, which says itself when it starts.
  if (action !== 'install' && action !== 'upgrade') await status.settle();
  const result = await perform(stepOf(pass, last), action);
  announce(pass, before, result);
  return result;
}

/** The failure in the words that status already has. */
function failureOf({ status }: ReleasePass, error: string): TransientError {
  const ready = getCondition(status.current.conditions, 'Ready');
  return new TransientError(ready?.message ?? error, ready === undefined ? {} : { reason: ready.reason });
}

function stallOn(pass: ReleasePass, why: Problem | undefined): Result {
  return stall(pass, why ?? { reason: 'ReconcileError', message: '' });
}

/** What a failed action means for the pass; undefined: look at the state again. Throws TransientError. */
function goOn(pass: ReleasePass, action: ReleaseAction, { error = '', ...result }: StepResult): Result | undefined {
  const { status, statusContext } = pass;
  const active = activeRemediation({ spec: pass.release.spec, status: status.current });
  const { refusal, uncounted = false } = result;
  const after = afterFailure({ action, refusal, uncounted }, active);
  switch (after.kind) {
    case 'look':
      return undefined;
    case 'backoff':
      throw failureOf(pass, error);
    case 'retry':
      status.current = retrying(status.current, statusContext);
      return { requeueAfterMs: after.afterMs };
    case 'stall':
      return stallOn(pass, after.why ?? getCondition(status.current.conditions, 'Released'));
  }
}

function afterAction(pass: ReleasePass, action: ReleaseAction, result: StepResult): Result | undefined {
  const { status, statusContext } = pass;
  if (result.error !== undefined) return goOn(pass, action, result);
  if (action !== 'rollback' && action !== 'uninstall') return undefined;
  status.current = retrying(status.current, statusContext);
  return { requeueAfterMs: NEXT_STEP_MS };
}

/**
 * A revision that we made, but were cut off before we said so: what was good before it is still there to go back to.
 */
function isOwnNewer({ release, status }: ReleasePass, last: StoredRevision | undefined): last is StoredRevision {
  if (last === undefined || last.origin !== keyOf(release.metadata)) return false;
  return last.version > (status.current.history?.[0]?.version ?? 0);
}

/**
 * True when the end of a cut-off action was found in storage: the status has it now, and nothing needs to be done
 * again.
 */
async function isRecalled(pass: ReleasePass, last: StoredRevision): Promise<boolean> {
  const { context, status } = pass;
  const before = status.current;
  const result = isUnsaid(last, before) ? await recall(stepOf(pass, last), last) : undefined;
  if (result === undefined) return false;
  const { releaseName, log } = context;
  log.info({ version: last.version, releaseName }, 'resuming the action of an earlier process');
  announce(pass, before, result);
  return true;
}

async function act(
  pass: ReleasePass,
  decision: Extract<Decision, { kind: 'act' | 'adopt' }>,
  { ran, last }: { readonly ran: Set<ReleaseAction>; readonly last: StoredRevision | undefined },
): Promise<Result | undefined> {
  const { status } = pass;
  if (ran.size === 0) await requireFresh(pass, pass.context.signal);
  // What the action before left must not be forgotten when this one is cut off.
  else await status.write();
  if (decision.kind === 'adopt') {
    if (!isOwnNewer(pass, last)) status.current = withoutHistory(status.current);
    else if (await isRecalled(pass, last)) return undefined;
  }
  const action = decision.kind === 'adopt' ? 'upgrade' : decision.action;
  // Each action once per pass: what did not help the first time would not help now.
  if (ran.has(action)) return { requeueAfterMs: NEXT_STEP_MS };
  ran.add(action);
  return afterAction(pass, action, await runAction(pass, action, { why: decision.why, last }));
}

function decideNext(
  { release, status: { current: status } }: ReleasePass,
  facts: {
    readonly finding: StateFinding;
    readonly revisions: readonly StoredRevision[];
    readonly ran: ReadonlySet<ReleaseAction>;
  },
): Decision {
  const { finding, revisions, ran } = facts;
  return decide(finding, {
    spec: release.spec,
    status,
    history: status.history ?? [],
    storedVersions: revisions.map(({ version }) => version),
    forced: readRequests(release).force && !ran.has('install') && !ran.has('upgrade'),
  });
}

/**
 * Brings one release to the state that is wanted: looks at the state, does the one action that it calls for, looks
 * again. The status holds the result; writing it is the caller's.
 */
export async function reconcileRelease(pass: ReleasePass): Promise<Result> {
  const { release, context } = pass;
  const ran = new Set<ReleaseAction>();
  for (;;) {
    const revisions = await context.storage.revisions();
    const last = lastRevision(revisions);
    refuseForeignRelease(release, context.releaseName, last);
    const finding = observeState(pass, revisions);
    const joined = finding.state === 'InSync' && (await keepWatched(pass));
    // An action has just applied everything.
    const cluster = ran.size > 0 ? undefined : await lookAtCluster(pass, finding);
    const decision = decideNext(pass, { finding: withDrift(finding, cluster?.drifted), revisions, ran });
    if (decision.kind === 'correct' || decision.kind === 'done') {
      // Objects may have changed between the action and the first list of their watch.
      return settle(pass, decision, { cluster, unseen: joined && ran.size > 0 });
    }
    if (decision.kind === 'stall') return stall(pass, decision);
    const result = await act(pass, decision, { ran, last });
    if (result !== undefined) return result;
  }
}
