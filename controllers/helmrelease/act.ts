import type { InventoryEntry } from '#api/flux/common.js';
import { inventoryEntry } from '#engine/member/model/inventory.js';
import { CancelledError } from '#lib/errors.js';
import { withKnownKinds } from '#engine/flux/objects.js';
import { keyOf } from '#lib/kube/keys.js';
import type { SecretTexts } from '#engine/flux/model/secret-texts.js';
import { correctObjects } from '#engine/flux/drift.js';
import { report, writeStatus } from '#engine/flux/write-status.js';
import { AbandonedError, type ActionContext, type Desired, type Outcome } from './actions/context.js';
import { objectsOfRelease } from './stored-objects.js';
import { lastRevision, type ReleaseRecord, type StoredRevision } from './model/release.js';
import { reportOf, type Acted } from './model/action-report.js';
import type { Step, ReleasePass } from './prepare.js';
import { prepareChart, renderDesired, valuesOf } from './render-desired.js';
import { crdPolicy, installOptions, rollbackOptions, upgradeOptions } from './action-options.js';
import { applyCrds } from './actions/apply.js';
import { install, rollback, upgrade } from './actions/deploy.js';
import { test } from './actions/hooks.js';
import { uninstallFailed } from './uninstall.js';
import { unlock } from './actions/revisions.js';
import { requireFresh, type DriftedObjects } from './observe.js';
import type { Plan } from './model/decide.js';
import type { ActionToRun } from './model/next-action.js';
import { withObservedOf } from './model/observed-digests.js';
import type { Snapshot } from './model/snapshot.js';
import { announced, withoutHistory } from './model/status.js';
import { actionTimeoutMs } from './model/timing.js';
import { settleBeforeRelease } from './namespace-metadata.js';
import { momentOf } from './pass.js';
import { failureOf } from '#engine/member/member-failure.js';

/** Every object of a revision, as `status.inventory` lists it. */
async function entriesOf(
  context: ActionContext,
  record: ReleaseRecord,
  crds: Desired['crds'],
): Promise<InventoryEntry[]> {
  const objects = await withKnownKinds(context, [
    ...crds,
    ...(await objectsOfRelease(context, record.manifest, record.version)),
  ]);
  return objects.map(inventoryEntry);
}

/**
 * The objects of a revision that may have failed, and is on the cluster all the same. Undefined without a revision, or
 * when they cannot be listed now: the outcome of the action counts more.
 */
async function knownEntriesOf(
  context: ActionContext,
  record: ReleaseRecord | undefined,
  crds: Desired['crds'],
): Promise<InventoryEntry[] | undefined> {
  if (record === undefined) return undefined;
  try {
    return await entriesOf(context, record, crds);
  } catch (error: unknown) {
    if (error instanceof CancelledError) throw error;
    context.log.warn(
      { err: context.secrets.maskError(error), releaseName: context.releaseName },
      'cannot list the objects of a revision',
    );
    return undefined;
  }
}

type Resumed = Extract<Acted, { kind: 'resumed' }>;

/** Observes the facts of a deployed install or upgrade that storage does not contain. */
async function observeDeployed(
  step: Step,
  record: ReleaseRecord,
  isUpgrade: boolean,
): Promise<Pick<Resumed, 'entries' | 'isCurrentSpec'>> {
  const before = { ...step, observedRevision: record.version - 1 };
  const prepared = await prepareChart(before, isUpgrade);
  const desired = 'problem' in prepared ? prepared : await renderDesired(before, isUpgrade, prepared);
  const manifest = 'problem' in desired ? undefined : desired.rendered.manifest;
  // Helm does not store the crds/ of a chart.
  const crds = 'problem' in prepared ? [] : prepared.crds;
  // The spec may have changed since: it is the deployed one only if it renders to the same.
  return { entries: await entriesOf(step.context, record, crds), isCurrentSpec: manifest === record.manifest };
}

/**
 * Reads how an action ended whose process did not live to report it: Helm's storage has its end. Undefined if the
 * revision is gone. Throws what ends a reconciliation.
 */
async function resume(step: Step, last: StoredRevision): Promise<Resumed | undefined> {
  const { context, status, inputs } = step;
  const stored = await context.storage.read(last.version);
  if (stored === undefined) return undefined;
  const { record } = stored;
  const { releaseName, log } = context;
  log.info({ version: last.version, releaseName }, 'resuming the action of an earlier process');
  const isUpgrade = status.current.lastAttemptedReleaseAction === 'upgrade';
  const { config } = await valuesOf(step, isUpgrade);
  const now = { config, configDigest: inputs.configDigest };
  const isDeployed = record.info.status !== 'failed' && record.info.rollback_revision === undefined;
  const rest = isDeployed
    ? await observeDeployed(step, record, isUpgrade)
    : { entries: undefined, isCurrentSpec: false };
  return { kind: 'resumed', record, now, ...rest };
}

const NOTHING: Acted = { kind: 'nothing' };

/** The desired revision, with the chart's CRDs on the cluster. `problem`: Helm rejects the chart; `error`: the cluster does. */
async function desiredRevision(
  step: Step,
  action: 'install' | 'upgrade',
): Promise<Desired | { readonly problem: string } | { readonly error: string }> {
  const isUpgrade = action === 'upgrade';
  const prepared = await prepareChart(step, isUpgrade);
  if ('problem' in prepared) return prepared;
  // CRDs come first, as in Helm: templates may ask whether the cluster serves them.
  const policy = crdPolicy(step.release.spec, action);
  const error = await failureOf(() => applyCrds(step.context, prepared.crds, policy));
  return error === undefined ? renderDesired(step, isUpgrade, prepared) : { error };
}

async function deploy(
  { release: { spec }, context, observedRevision }: Step,
  action: 'install' | 'upgrade',
  desired: Desired | { readonly error: string },
): Promise<Outcome> {
  if ('error' in desired) return { record: undefined, error: desired.error };
  const decided = { observedRevision };
  return action === 'install'
    ? install(context, desired, installOptions(spec, decided))
    : upgrade(context, desired, upgradeOptions(spec, decided));
}

/** Install or upgrade: apply CRDs, render, announce the action in the status, deploy. */
async function release(step: Step, action: 'install' | 'upgrade'): Promise<Acted> {
  const { inputs, context, status } = step;
  const { name: chartName, version: chartVersion } = inputs.chart.metadata;
  const attempted = { namespace: context.namespace, name: context.releaseName, chartName, chartVersion };
  const startedAt = context.now();
  const settleCreated = await settleBeforeRelease(step, action);
  const desired = await desiredRevision(step, action);
  if ('problem' in desired) {
    const { usesLookup, usesApiVersions } = inputs.traits;
    return { kind: 'rejected', action, attempted, problem: desired.problem, isFinal: !usesLookup && !usesApiVersions };
  }
  if (!('error' in desired)) await settleCreated();
  await writeStatus({ status: announced(status.current, momentOf(step), { action, release: step.release }) }, step);
  const { record, error, missingNamespace } = await deploy(step, action, desired);
  const durationMs = context.now() - startedAt;
  const crds = 'crds' in desired ? desired.crds : [];
  const isDeployed = record !== undefined && error === undefined;
  const entries = isDeployed ? await entriesOf(context, record, crds) : await knownEntriesOf(context, record, crds);
  return { kind: 'released', action, attempted, record, error, missingNamespace, entries, durationMs };
}

async function rollBack(step: Step, target: Snapshot): Promise<Acted> {
  const { context, status, release, observedRevision } = step;
  const { spec, status: began } = release;
  const options = rollbackOptions(spec, {
    observedRevision,
    version: target.version,
    // Until then the failed revision is what runs; from then on an interruption must not take the spec for deployed.
    created: () => writeStatus({ status: withObservedOf(status.current, { target, began }) }, step),
  });
  const { record, error } = await rollback(context, options);
  return { kind: 'rolledBack', target, record, error, entries: await knownEntriesOf(context, record, []) };
}

async function unlockLast({ release, context }: Step): Promise<Acted> {
  const last = lastRevision(await context.storage.revisions());
  if (last === undefined) return NOTHING;
  const { record, was } = await unlock(context, last.version);
  if (record === undefined || was === undefined) return NOTHING;
  return { kind: 'unlocked', record, was, isOwn: last.origin === keyOf(release.metadata) };
}

async function runTests({ release: { spec }, status, context }: Step): Promise<Acted> {
  const latest = status.current.history?.[0];
  if (latest === undefined) return NOTHING;
  const options = { timeoutMs: actionTimeoutMs(spec, 'test'), filters: spec.test?.filters ?? [] };
  const { record, error } = await test(context, latest.version, options);
  return { kind: 'tested', record, error };
}

async function run(step: Step, decision: ActionToRun): Promise<Acted> {
  const { context, status } = step;
  const { action, why } = decision;
  context.log.info({ action, why, releaseName: context.releaseName }, 'running release action');
  // An install or upgrade reports itself, once its chart is rendered.
  if (action !== 'install' && action !== 'upgrade') await status.settle();
  switch (decision.action) {
    case 'install':
    case 'upgrade':
      return release(step, decision.action);
    case 'rollback':
      return rollBack(step, decision.target);
    case 'uninstall':
      return uninstallFailed(step);
    case 'unlock':
      return unlockLast(step);
    case 'test':
      return runTests(step);
  }
}

/**
 * Runs an action. The status says what one leaves that nobody waits for any more: whoever moves or deletes the release
 * must know of it.
 */
async function runOrLeave(plan: Plan, pass: ReleasePass, decision: ActionToRun): Promise<Acted> {
  try {
    return await run(stepOf(plan, pass), decision);
  } catch (error: unknown) {
    if (error instanceof AbandonedError) {
      const then = { status: pass.status.current, moment: momentOf(pass) };
      report({ status: reportOf(plan, { kind: 'unlocked', ...error.left, isOwn: true }, then).status }, pass);
    }
    throw error;
  }
}

function stepOf({ observed: { revisions } }: Plan, pass: ReleasePass): Step {
  return { ...pass, observedRevision: lastRevision(revisions)?.version ?? 0 };
}

/**
 * Nothing is done from an old read, and no result of an earlier action is lost when this one is interrupted. Until then
 * the history stays: a deletion asks it what is ours.
 */
async function beforeAction({ observed: { progress }, dropsHistory }: Plan, pass: ReleasePass): Promise<void> {
  await (progress.actions.length === 0 ? requireFresh(pass) : pass.status.write());
  if (dropsHistory) report({ status: withoutHistory(pass.status.current) }, pass);
}

async function correct(pass: ReleasePass, { drifts, ignored }: DriftedObjects): Promise<Acted> {
  await pass.status.settle();
  await requireFresh(pass);
  return { kind: 'corrected', correction: await correctObjects(pass.context, drifts, ignored) };
}

/** The words of helm, servers and hooks may quote values; the names of objects may be made of them. */
function withMasks(acted: Acted, secrets: SecretTexts): Acted {
  const mask = (text: string | undefined): string | undefined => text && secrets.mask(text);
  switch (acted.kind) {
    case 'rejected':
      return { ...acted, problem: secrets.mask(acted.problem) };
    case 'corrected': {
      const { done, problem } = acted.correction;
      return { ...acted, correction: { done: done.map((line) => secrets.mask(line)), problem: mask(problem) } };
    }
    case 'released':
    case 'rolledBack':
    case 'uninstalled':
    case 'tested':
      return { ...acted, error: mask(acted.error) };
    default:
      return acted;
  }
}

/**
 * Carries out a decision. A failed release is a result; throws what ends the reconciliation (see `isInterruption`).
 * `differences`: what a correction applies.
 */
export async function act(plan: Plan, pass: ReleasePass, differences: DriftedObjects | undefined): Promise<Acted> {
  return withMasks(await carryOut(plan, pass, differences), pass.secrets);
}

async function carryOut(plan: Plan, pass: ReleasePass, differences: DriftedObjects | undefined): Promise<Acted> {
  const { decision } = plan;
  switch (decision.kind) {
    case 'act':
      await beforeAction(plan, pass);
      return runOrLeave(plan, pass, decision);
    case 'resume':
      await beforeAction(plan, pass);
      return (await resume(stepOf(plan, pass), decision.last)) ?? NOTHING;
    case 'correct':
      return differences === undefined ? NOTHING : correct(pass, differences);
    case 'done':
    case 'stall':
    case 'later':
      return NOTHING;
  }
}
