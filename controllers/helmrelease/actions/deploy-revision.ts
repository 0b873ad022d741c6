import type { Unstructured } from '#api/meta.js';
import { healthBy } from '#engine/health/expressions.js';
import { waitForHealthy } from '#engine/health/wait.js';
import { isInterruption, reasonText } from '#engine/member/member-failure.js';
import { CancelledError, SupersededError } from '#lib/errors.js';
import { ActionError, objectsWithout } from '#engine/flux/objects.js';
import type { HookEvent } from '../model/manifest.js';
import { objectsOfRelease, recordedObjects } from '../stored-objects.js';
import { missingNamespace } from '../model/namespace.js';
import { describeUnlocked, withStatus, type ReleaseRecord } from '../model/release.js';
import { isMadeByOthers } from '../model/ownership.js';
import type { StoredRecord } from '../storage.js';
import { AbandonedError, type ActionContext, type Outcome } from './context.js';
import { deleteOwned } from './delete-objects.js';
import { withOutput, runHooks } from './hooks.js';
import { applyOwned } from './apply.js';
import { supersede } from './revisions.js';

/** The options that install, upgrade and rollback share. */
export interface DeployOptions {
  readonly before: HookEvent;
  readonly after: HookEvent;
  /** Milliseconds for each wait. */
  readonly timeoutMs: number;
  readonly disableHooks: boolean;
  readonly disableWait: boolean;
  readonly disableWaitForJobs: boolean;
  /** CRDs of the chart, which its manifest does not contain; absent in a rollback. */
  readonly crds?: readonly Unstructured[];
  /** After a failure, delete the objects that only the failed revision has. */
  readonly cleanupOnFail?: boolean;
  /** Description of the revision once it is deployed. */
  readonly description: string;
  /** The action, in Helm's words, for the description of a failure. */
  readonly failed: 'Release' | 'Upgrade' | 'Rollback';
}

async function waitForObjects(
  context: ActionContext,
  applied: readonly Unstructured[],
  options: DeployOptions,
): Promise<void> {
  if (options.disableWait) return;
  const { member, namespace, signal, healthRules, endedBy } = context;
  // Many kinds are ready as soon as they exist, and the response to the apply says so.
  const objects = applied.filter((live) => healthBy(healthRules, live).status !== 'Current');
  const problem = await waitForHealthy({
    member,
    objects,
    defaultNamespace: namespace,
    timeoutMs: options.timeoutMs,
    signal,
    jobs: !options.disableWaitForJobs,
    rules: healthRules,
    endedBy: (wait) => endedBy?.({ ...wait, isFirst: options.after === 'post-install' }),
  });
  if (problem !== undefined) throw new ActionError(problem);
}

/** Helm's words, which depend on the action. */
function hooksFailed(event: HookEvent): string {
  return event.endsWith('-install') ? `failed ${event}` : `${event} hooks failed`;
}

/** The record so far: it includes the hooks that ran, even if a later step fails. */
interface Progress {
  record: ReleaseRecord;
}

async function runHooksOf(
  context: ActionContext,
  progress: Progress,
  event: HookEvent,
  options: DeployOptions,
): Promise<void> {
  const { record } = progress;
  if (options.disableHooks || record.hooks === undefined) return;
  const { hooks, error, cause, output } = await runHooks(context, record.hooks, {
    event,
    timeoutMs: options.timeoutMs,
  });
  progress.record = { ...record, hooks: [...hooks] };
  if (error !== undefined) throw new ActionError(`${hooksFailed(event)}: ${error}`, { output, cause });
}

async function applyRevision(
  context: ActionContext,
  progress: Progress,
  before: readonly StoredRecord[],
  options: DeployOptions,
): Promise<void> {
  const previous = before.map((stored) => stored.record);
  const objects = await objectsOfRelease(context, progress.record.manifest, progress.record.version);
  await runHooksOf(context, progress, options.before, options);
  const applied = await applyOwned(context, objects, { looksFirst: isMadeByOthers(before) });
  const charts = [progress.record, ...previous].map(({ chart }) => chart);
  const gone = await objectsWithout(context, await recordedObjects(context, previous), objects);
  // A rollback knows only those CRDs of its chart that storage contains.
  const intent = options.crds === undefined ? 'revert' : 'prune';
  await deleteOwned(context, gone, { intent, charts, crds: options.crds });
  await waitForObjects(context, applied, options);
  await runHooksOf(context, progress, options.after, options);
}

/** Best effort: users must see the failure itself, not that of the cleanup. */
async function cleanUp(context: ActionContext, failed: StoredRecord, previous: readonly StoredRecord[]): Promise<void> {
  const before = await recordedObjects(
    context,
    previous.map(({ record }) => record),
  );
  const charts = [failed, ...previous].map(({ record }) => record.chart);
  try {
    const added = await objectsWithout(context, await recordedObjects(context, [failed.record]), before);
    await deleteOwned(context, added, { intent: 'revert', charts });
  } catch (error: unknown) {
    if (isInterruption(error)) throw error;
    context.log.warn(
      { err: context.secrets.maskError(error), releaseName: context.releaseName },
      'cannot clean up after a failure',
    );
  }
}

/** A revision that nobody waits for is not left pending: helm, and whoever suspends it, may need the release. */
async function unlockLeft(
  { storage, log, secrets, releaseName }: ActionContext,
  stored: StoredRecord,
  progress: Progress,
): Promise<AbandonedError['left']> {
  const was = stored.record.info.status;
  const record = withStatus(progress.record, 'failed', describeUnlocked(was));
  try {
    await storage.update(stored, record);
  } catch (error: unknown) {
    if (error instanceof CancelledError) throw error;
    // The next pass does it. That the status says what is left must not depend on it.
    log.warn({ err: secrets.maskError(error), releaseName }, 'cannot unlock the revision that nobody waits for');
  }
  return { record, was };
}

/**
 * Deploys a revision that is stored as pending: run hooks, apply, delete removed objects, wait, run hooks, store the
 * new status. If interrupted anywhere, the revision stays pending and the next reconciliation unlocks it.
 */
export async function deployRevision(
  context: ActionContext,
  stored: StoredRecord,
  previous: readonly StoredRecord[],
  options: DeployOptions,
): Promise<Outcome> {
  const progress: Progress = { record: stored.record };
  try {
    await applyRevision(context, progress, previous, options);
    await supersede(context, previous);
    const deployed = withStatus(progress.record, 'deployed', options.description);
    await context.storage.update(stored, deployed);
    return { record: deployed };
  } catch (error: unknown) {
    if (error instanceof SupersededError) throw new AbandonedError(error, await unlockLeft(context, stored, progress));
    if (isInterruption(error)) throw error;
    const text = context.secrets.mask(reasonText(error));
    if (options.cleanupOnFail === true) await cleanUp(context, stored, previous);
    const failed = withStatus(progress.record, 'failed', `${options.failed} "${context.releaseName}" failed: ${text}`);
    await context.storage.update(stored, failed);
    const output = error instanceof ActionError ? error.output : undefined;
    return { record: failed, error: withOutput(text, output), missingNamespace: missingNamespace(error) };
  }
}
