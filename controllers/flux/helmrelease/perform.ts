import omit from 'lodash/omit.js';
import { getCondition } from '../../runtime/pure/conditions.js';
import type { FailedAction } from './model/after-failure.js';
import { failureMessage, type Attempted } from './model/conditions.js';
import { install } from './actions/install.js';
import { rollback } from './actions/rollback.js';
import { test } from './actions/test.js';
import { uninstall } from './actions/uninstall.js';
import { unlock } from './actions/unlock.js';
import { upgrade } from './actions/upgrade.js';
import type { ActionContext, Desired, Outcome } from './actions/context.js';
import { ConflictError, TerminalError } from '../../runtime/pure/errors.js';
import { printDuration } from '../../runtime/pure/duration.js';
import { keyOf } from '../../runtime/pure/keys.js';
import type { Host } from './host.js';
import { inventoryOf, withInventory } from './inventory.js';
import { makeReady } from './make-ready.js';
import type { ReleaseAction } from './model/decide.js';
import { configDigest } from './model/digest.js';
import { commonMetadataDigest, postRenderersDigest } from './model/observed-digests.js';
import { actionCutOff } from './model/recalled.js';
import { lastRevision, type ReleaseRecord } from './model/release.js';
import { activeRemediation } from './model/remediation.js';
import { previousSuccess, snapshotOf, testHooksOf, type Snapshot, type SnapshotAction } from './model/snapshot.js';
import {
  released,
  releaseFailed,
  remediated,
  tested,
  unlocked,
  type ReleaseStatusFields,
  type StatusContext,
} from './model/status.js';
import { withNamespaceHint } from './model/missing-namespace.js';
import { actionTimeoutMs } from './model/timing.js';
import type { ActionFields, HelmRelease } from './model/types.js';
import type { Inputs } from './observe.js';
import { mayTakeDown } from './take-down.js';
import { uninstallOptions } from './uninstall-options.js';

const DEFAULT_MAX_HISTORY = 5;

/** One step of a pass: everything that an action needs, and the status before it. */
export interface Step {
  readonly host: Host;
  readonly release: HelmRelease;
  readonly context: ActionContext;
  readonly inputs: Inputs;
  readonly status: ReleaseStatusFields;
  readonly statusContext: StatusContext;
  /** Newest revision in storage when the action was decided; 0 for none. */
  readonly decidedOn: number;
  /** Says that the action starts now; returns the status as it was written. */
  readonly begin: (status: ReleaseStatusFields) => Promise<ReleaseStatusFields>;
}

/** What a step left; see FailedAction for how it failed. */
export interface StepResult extends Partial<Pick<FailedAction, 'refusal' | 'uncounted'>> {
  readonly status: ReleaseStatusFields;
  readonly error?: string;
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
  const status = { ...step.status, lastAttemptedReleaseAction: action };
  const known = getCondition(status.conditions, 'Released');
  const isNews = known?.status !== 'False' || known.message !== failureMessage(action, attempted, problem);
  const failed = { action, attempted, error: problem, snapshot: undefined };
  const { usesLookup, usesApiVersions } = step.inputs.traits;
  return {
    status: isNews ? releaseFailed(status, step.statusContext, failed) : status,
    error: problem,
    refusal: usesLookup || usesApiVersions ? 'passing' : 'lasting',
  };
}

/** `status` with what it remembers of the spec that a revision was made from, beside chart and values. */
export function withObserved(
  status: ReleaseStatusFields,
  { release: { spec } }: Pick<Step, 'release'>,
): ReleaseStatusFields {
  const [metadata, renderers] = [commonMetadataDigest(spec), postRenderersDigest(spec)];
  return {
    ...omit(status, 'observedCommonMetadataDigest', 'observedPostRenderersDigest'),
    ...(metadata === undefined ? {} : { observedCommonMetadataDigest: metadata }),
    ...(renderers === undefined ? {} : { observedPostRenderersDigest: renderers }),
  };
}

/** The status after a revision was deployed. */
async function succeeded(
  step: Step,
  action: 'install' | 'upgrade',
  { record, crds }: { readonly record: ReleaseRecord; readonly crds: Desired['crds'] },
): Promise<ReleaseStatusFields> {
  const { inputs, statusContext, context } = step;
  const snapshot = snapshotOf(record, inputs.configDigest, action);
  const clearFailures = activeRemediation({ spec: step.release.spec, status: step.status })?.retryOnFailure === true;
  const next = released(step.status, statusContext, { action, snapshot, clearFailures });
  return { ...withObserved(next, step), inventory: await inventoryOf(context, record, crds) };
}

/** What the status says when an action starts: how long the one before it took is no news of this one. */
function announced(status: ReleaseStatusFields, action: 'install' | 'upgrade'): ReleaseStatusFields {
  return { ...omit(status, 'lastAttemptedReleaseActionDuration'), lastAttemptedReleaseAction: action };
}

/** Install or upgrade: CRDs, render, bring up, remember. */
async function release(step: Step, action: 'install' | 'upgrade'): Promise<StepResult> {
  const { inputs, context, statusContext } = step;
  const { name: chartName, version: chartVersion } = inputs.chart.metadata;
  const attempted = { namespace: context.namespace, name: context.releaseName, chartName, chartVersion };
  const startedAt = context.now();
  const ready = await makeReady(step, action);
  if ('problem' in ready) return refused(step, action, attempted, ready.problem);
  const begun = { ...step, status: await step.begin(announced(step.status, action)) };
  const { record, error } = await bringOut(begun, action, ready);
  const took = { lastAttemptedReleaseActionDuration: printDuration(context.now() - startedAt) };
  if (record !== undefined && 'crds' in ready && error === undefined) {
    return { status: { ...(await succeeded(begun, action, { record, crds: ready.crds })), ...took } };
  }
  const snapshot = record && snapshotOf(record, inputs.configDigest, action);
  const problem = withNamespaceHint(step.release, error ?? 'no revision was made');
  const failed = { action, attempted, error: problem, snapshot };
  const status = releaseFailed(begun.status, statusContext, failed);
  const known = await withInventory(status, context, { record, ...('crds' in ready ? { crds: ready.crds } : {}) });
  return { status: { ...known, ...took }, error: failed.error, uncounted: snapshot === undefined };
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
    release: { spec },
    status,
    context,
    statusContext,
  } = step;
  const remediation = activeRemediation({ spec, status });
  const target = previousSuccess(status.history ?? [], remediation?.ignoreTestFailures ?? false);
  if (target === undefined)
    throw new TerminalError('MissingRollbackTarget', 'there is no earlier revision to go back to');
  const outcome = await rollback(context, {
    version: target.version,
    ...shared(step, 'rollback'),
    cleanupOnFail: spec.rollback?.cleanupOnFail === true,
    ...waits(spec.rollback),
  });
  const snapshot = outcome.record === undefined ? target : snapshotLike(outcome.record, target, 'rollback');
  const result = { action: 'rollback', snapshot, target, error: outcome.error } as const;
  const next = await withInventory(remediated(status, statusContext, result), context, { record: outcome.record });
  return outcome.error === undefined ? { status: next } : { status: next, error: outcome.error };
}

async function takeDown(step: Step): Promise<StepResult> {
  const {
    release: { spec },
    status,
    context,
    statusContext,
  } = step;
  const verdict = await mayTakeDown(step.release, context, 'remediation');
  if (verdict?.allowed === false) {
    throw new ConflictError(`release ${context.releaseName} is not uninstalled: ${verdict.why}`);
  }
  const outcome = await uninstall(context, uninstallOptions(spec));
  const latest = status.history?.[0];
  if (outcome.record === undefined || latest === undefined) return { status };
  const snapshot = snapshotLike(outcome.record, latest, 'uninstall-remediation');
  const next = remediated(status, statusContext, {
    action: 'uninstall',
    snapshot,
    target: snapshot,
    error: outcome.error,
  });
  return outcome.error === undefined
    ? { status: { ...next, inventory: { entries: [] } } }
    : { status: next, error: outcome.error };
}

async function openLock(step: Step): Promise<StepResult> {
  const last = lastRevision(await step.context.storage.revisions());
  if (last === undefined) return { status: step.status };
  const { record, was } = await unlock(step.context, last.version);
  if (record === undefined || was === undefined) return { status: step.status };
  const base = step.status.history?.find(({ version }) => version === last.version);
  const snapshot = snapshotOf(
    record,
    base?.configDigest ?? configDigest(record.config),
    base?.action ?? actionCutOff(was),
  );
  const isOwn = last.origin === keyOf(step.release.metadata);
  return { status: unlocked(step.status, step.statusContext, { snapshot, was, isOwn }) };
}

async function runTests(step: Step): Promise<StepResult> {
  const {
    release: { spec },
    status,
    statusContext,
  } = step;
  const latest = status.history?.[0];
  if (latest === undefined) return { status };
  const options = { timeoutMs: actionTimeoutMs(spec, 'test'), filters: spec.test?.filters ?? [] };
  const outcome = await test(step.context, latest.version, options);
  const { record, error } = outcome;
  const snapshot = record === undefined ? latest : { ...latest, testHooks: testHooksOf(record) };
  const counts = record !== undefined && activeRemediation({ spec, status })?.ignoreTestFailures === false;
  const next = tested(status, statusContext, { snapshot, error, counts });
  return outcome.error === undefined ? { status: next } : { status: next, error: outcome.error };
}

/** Performs one action. Throws what ends a pass (see `isInterruption`); a failed release is a result, not an error. */
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
