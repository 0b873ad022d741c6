import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import omit from 'lodash/omit.js';
import { getCondition } from '../../runtime/pure/conditions.js';
import { progressing } from '../shared/model/progress.js';
import type { FailedAction } from './model/after-failure.js';
import { failureMessage, runningMessage, type Attempted } from './model/conditions.js';
import { install } from './actions/install.js';
import { rollback } from './actions/rollback.js';
import { test } from './actions/test.js';
import { uninstall } from './actions/uninstall.js';
import { unlock } from './actions/unlock.js';
import { upgrade } from './actions/upgrade.js';
import type { Desired, Outcome } from './actions/context.js';
import { ConflictError, TerminalError } from '../../runtime/pure/errors.js';
import { printDuration } from '../../runtime/pure/duration.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { inventoryOf, withInventory } from './inventory.js';
import { makeReady } from './make-ready.js';
import type { ReleaseAction } from './model/decide.js';
import { configDigest } from './model/digest.js';
import { withObserved, withObservedOf } from './model/observed-digests.js';
import { actionCutOff } from './model/recalled.js';
import { lastRevision, type ReleaseRecord } from './model/release.js';
import { activeRemediation } from './model/remediation.js';
import { readRequests } from '../shared/model/requests.js';
import { previousSuccess, snapshotOf, testHooksOf, type Snapshot, type SnapshotAction } from './model/snapshot.js';
import { released, releaseFailed, remediated, tested, unlocked } from './model/status.js';
import { withNamespaceHint } from './model/missing-namespace.js';
import { actionTimeoutMs } from './model/timing.js';
import type { ActionFields, HelmRelease } from './model/types.js';
import type { ReleasePass } from './release-pass.js';
import { mayTakeDown } from './take-down.js';
import { uninstallOptions } from './uninstall-options.js';

const DEFAULT_MAX_HISTORY = 5;

/** One step of a pass: everything that an action needs. The status says what it left. */
export interface Step extends ReleasePass {
  /** Newest revision in storage when the action was decided; 0 for none. */
  readonly decidedOn: number;
}

/** How a step failed, if it did; see FailedAction. */
export interface StepResult extends Partial<Pick<FailedAction, 'refusal' | 'uncounted'>> {
  readonly error?: string;
}

function failedWith(error: string | undefined): StepResult {
  return error === undefined ? {} : { error };
}

function waits(spec: ActionFields | undefined): {
  disableHooks: boolean;
  disableWait: boolean;
  disableWaitForJobs: boolean;
} {
  return {
    disableHooks: spec?.disableHooks === true,
    disableWait: spec?.disableWait === true,
    disableWaitForJobs: spec?.disableWaitForJobs === true,
  };
}

function maxHistory({ spec }: HelmRelease): number {
  return spec.maxHistory ?? DEFAULT_MAX_HISTORY;
}

/** What every action that makes a revision is told. */
function shared(step: Step, action: 'install' | 'upgrade' | 'rollback') {
  const { release, decidedOn } = step;
  return { timeoutMs: actionTimeoutMs(release.spec, action), maxHistory: maxHistory(release), decidedOn };
}

async function runUpgrade(step: Step, desired: Desired): Promise<Outcome> {
  const { spec } = step.release;
  return upgrade(step.context, desired, {
    ...shared(step, 'upgrade'),
    ...waits(spec.upgrade),
    disableTakeOwnership: spec.upgrade?.disableTakeOwnership === true,
    cleanupOnFail: spec.upgrade?.cleanupOnFail === true,
  });
}

async function runInstall(step: Step, desired: Desired): Promise<Outcome> {
  const { spec } = step.release;
  return install(step.context, desired, {
    ...shared(step, 'install'),
    ...waits(spec.install),
    createNamespace: spec.install?.createNamespace === true && spec.targetNamespace !== undefined,
    disableTakeOwnership: spec.install?.disableTakeOwnership === true,
  });
}

/** helm refuses the chart or its values. What was said before is not said, and not counted, again. */
function refused(step: Step, action: 'install' | 'upgrade', attempted: Attempted, problem: string): StepResult {
  const { status, statusContext } = step;
  const next = { ...status.current, lastAttemptedReleaseAction: action };
  const known = getCondition(next.conditions, 'Released');
  const isNews = known?.status !== 'False' || known.message !== failureMessage(action, attempted, problem);
  const failed = { action, attempted, error: problem, snapshot: undefined };
  status.current = isNews ? releaseFailed(next, statusContext, failed) : next;
  const { usesLookup, usesApiVersions } = step.inputs.traits;
  return { error: problem, refusal: usesLookup || usesApiVersions ? 'passing' : 'lasting' };
}

/** The status after a revision was deployed. */
async function succeeded(
  { status, statusContext, inputs, context, release: { spec } }: Step,
  action: 'install' | 'upgrade',
  { record, crds }: { readonly record: ReleaseRecord; readonly crds: Desired['crds'] },
): Promise<HelmReleaseStatus> {
  const snapshot = snapshotOf(record, inputs.configDigest, action);
  const clearFailures = activeRemediation({ spec, status: status.current })?.retryOnFailure === true;
  const next = released(status.current, statusContext, { action, snapshot, clearFailures });
  return { ...withObserved(next, spec), inventory: await inventoryOf(context, record, crds) };
}

/**
 * A long action is announced in the status before it starts; how long the one before it took is no news of this one.
 * With it whatever asked for it counts as answered, as in Flux: an action that ends in a conflict must not be asked for
 * again by the same annotation.
 */
async function begin({ release, status, statusContext }: Step, action: 'install' | 'upgrade'): Promise<void> {
  const message = runningMessage(action, actionTimeoutMs(release.spec, action));
  const before = omit(status.current, 'lastAttemptedReleaseActionDuration');
  const { handled } = readRequests(release);
  status.current = {
    ...progressing(before, statusContext, message),
    ...handled,
    lastAttemptedReleaseAction: action,
  };
  await status.write();
}

/** Install or upgrade: CRDs, render, bring up, remember. */
async function release(step: Step, action: 'install' | 'upgrade'): Promise<StepResult> {
  const { inputs, context, status, statusContext } = step;
  const { name: chartName, version: chartVersion } = inputs.chart.metadata;
  const attempted = { namespace: context.namespace, name: context.releaseName, chartName, chartVersion };
  const startedAt = context.now();
  const ready = await makeReady(step, action);
  if ('problem' in ready) return refused(step, action, attempted, ready.problem);
  await begin(step, action);
  const { record, error } = await bringOut(step, action, ready);
  const took = { lastAttemptedReleaseActionDuration: printDuration(context.now() - startedAt) };
  if (record !== undefined && 'crds' in ready && error === undefined) {
    status.current = { ...(await succeeded(step, action, { record, crds: ready.crds })), ...took };
    return {};
  }
  const snapshot = record && snapshotOf(record, inputs.configDigest, action);
  const problem = withNamespaceHint(step.release, error ?? 'no revision was created');
  const failed = releaseFailed(status.current, statusContext, { action, attempted, error: problem, snapshot });
  const known = await withInventory(failed, context, { record, ...('crds' in ready ? { crds: ready.crds } : {}) });
  status.current = { ...known, ...took };
  return { error: problem, uncounted: snapshot === undefined };
}

async function bringOut(
  step: Step,
  action: 'install' | 'upgrade',
  ready: Desired | { readonly error: string },
): Promise<Outcome> {
  if ('error' in ready) return { record: undefined, error: ready.error };
  return action === 'install' ? runInstall(step, ready) : runUpgrade(step, ready);
}

/** A snapshot of an old revision under a new record: it keeps the digest of the values it was made with. */
function snapshotLike(record: ReleaseRecord, base: Snapshot, action: SnapshotAction): Snapshot {
  return snapshotOf(record, base.configDigest, action);
}

async function rollBack(step: Step): Promise<StepResult> {
  const {
    release: { spec, status: before },
    status,
    context,
    statusContext,
  } = step;
  const remediation = activeRemediation({ spec, status: status.current });
  const target = previousSuccess(status.current.history ?? [], remediation?.ignoreTestFailures ?? false);
  if (target === undefined)
    throw new TerminalError('MissingRollbackTarget', 'there is no earlier revision to roll back to');
  const { record, error } = await rollback(context, {
    version: target.version,
    // What is cut off from here on must not be taken for a proof; before, the failure is still what runs.
    created: async () => {
      status.current = withObservedOf(status.current, { target, began: before });
      await status.write();
    },
    ...shared(step, 'rollback'),
    cleanupOnFail: spec.rollback?.cleanupOnFail === true,
    ...waits(spec.rollback),
  });
  const snapshot = record === undefined ? target : snapshotLike(record, target, 'rollback');
  const next = remediated(status.current, statusContext, { action: 'rollback', snapshot, target, error });
  status.current = await withInventory(next, context, { record });
  return failedWith(error);
}

async function takeDown({ release, status, context, statusContext }: Step): Promise<StepResult> {
  const verdict = await mayTakeDown(release, context, 'remediation');
  if (verdict?.allowed === false) {
    throw new ConflictError(`release ${context.releaseName} is not uninstalled: ${verdict.why}`);
  }
  const { record, error } = await uninstall(context, uninstallOptions(release.spec));
  const latest = status.current.history?.[0];
  if (record === undefined || latest === undefined) return {};
  const snapshot = snapshotLike(record, latest, 'uninstall-remediation');
  const next = remediated(status.current, statusContext, { action: 'uninstall', snapshot, target: snapshot, error });
  status.current = error === undefined ? { ...next, inventory: { entries: [] } } : next;
  return failedWith(error);
}

async function openLock({ release, status, context, statusContext }: Step): Promise<StepResult> {
  const last = lastRevision(await context.storage.revisions());
  if (last === undefined) return {};
  const { record, was } = await unlock(context, last.version);
  if (record === undefined || was === undefined) return {};
  const base = status.current.history?.find(({ version }) => version === last.version);
  const snapshot = snapshotOf(
    record,
    base?.configDigest ?? configDigest(record.config),
    base?.action ?? actionCutOff(was),
  );
  const isOwn = last.origin === keyOf(release.metadata);
  status.current = unlocked(status.current, statusContext, { snapshot, was, isOwn });
  return {};
}

async function runTests({ release: { spec }, status, context, statusContext }: Step): Promise<StepResult> {
  const latest = status.current.history?.[0];
  if (latest === undefined) return {};
  const options = { timeoutMs: actionTimeoutMs(spec, 'test'), filters: spec.test?.filters ?? [] };
  const { record, error } = await test(context, latest.version, options);
  const snapshot = record === undefined ? latest : { ...latest, testHooks: testHooksOf(record) };
  const counts =
    record !== undefined && activeRemediation({ spec, status: status.current })?.ignoreTestFailures === false;
  status.current = tested(status.current, statusContext, { snapshot, error, counts });
  return failedWith(error);
}

/**
 * Performs one action; the status says how it went. Throws what ends a pass (see `isInterruption`): a failed release is
 * a result, not an error.
 */
export async function perform(step: Step, action: ReleaseAction): Promise<StepResult> {
  switch (action) {
    case 'install':
    case 'upgrade':
      return release(step, action);
    case 'rollback':
      return rollBack(step);
    case 'uninstall':
      return takeDown(step);
    case 'unlock':
      return openLock(step);
    case 'test':
      return runTests(step);
  }
}
