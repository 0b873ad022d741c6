import { isInterruption, reasonText } from '#engine/member/member-failure.js';
import { waitUntilGone, type Propagation, ActionError } from '#engine/flux/objects.js';
import { recordedObjects } from '../stored-objects.js';
import { lastRevision, withStatus, type ReleaseRecord, type StoredRevision } from '../model/release.js';
import { type StoredRecord, readRecords, timestamp } from '../storage.js';
import type { ActionContext, Outcome } from './context.js';
import { deleteOwned } from './delete-objects.js';
import { withOutput, runHooks } from './hooks.js';
import { supersede } from './revisions.js';

export interface UninstallOptions {
  readonly timeoutMs: number;
  readonly disableHooks: boolean;
  readonly disableWait: boolean;
  readonly keepHistory: boolean;
  readonly propagation: Propagation;
}

/** How an uninstall ended, and which objects it left. */
export interface Uninstalled extends Outcome {
  /** Objects of the manifest without the marks of this release, for messages. */
  readonly left?: readonly string[];
}

async function hooks(
  context: ActionContext,
  record: ReleaseRecord,
  event: 'pre-delete' | 'post-delete',
  options: UninstallOptions,
): Promise<void> {
  if (options.disableHooks || record.hooks === undefined) return;
  const { error, output } = await runHooks(context, record.hooks, { event, timeoutMs: options.timeoutMs });
  if (error !== undefined) throw new ActionError(`${event} hooks failed: ${withOutput(error, output)}`);
}

/** Marks the release as uninstalling, as Helm does; after an interruption, the uninstall continues. */
async function markUninstalling(context: ActionContext, last: StoredRecord): Promise<StoredRecord> {
  if (last.record.info.status === 'uninstalling') return last;
  const marked = withStatus(last.record, 'uninstalling', 'Deletion in progress (or silently failed)');
  return context.storage.update(last, { ...marked, info: { ...marked.info, deleted: timestamp(context) } });
}

async function deleteObjects(
  context: ActionContext,
  last: StoredRecord,
  others: readonly StoredRecord[],
  options: UninstallOptions,
): Promise<readonly string[]> {
  await hooks(context, last.record, 'pre-delete', options);
  const records = [...others, last];
  const objects = await recordedObjects(
    context,
    records.map(({ record }) => record),
  );
  const charts = records.map(({ record }) => record.chart);
  const { going, unowned } = await deleteOwned(context, objects, {
    intent: 'uninstall',
    charts,
    propagation: options.propagation,
  });
  // With Orphan, finalizers of others may keep the objects, so there is no end to wait for.
  if (!options.disableWait && options.propagation !== 'Orphan') await waitUntilGone(context, going, options.timeoutMs);
  await hooks(context, last.record, 'post-delete', options);
  return unowned;
}

/** Deletes the newest revision last: as long as it exists, an interrupted uninstall can be repeated. */
async function deleteRevisions(
  context: ActionContext,
  last: StoredRecord,
  revisions: readonly StoredRevision[],
): Promise<void> {
  for (const revision of revisions) {
    if (revision.version !== last.revision.version) await context.storage.delete(revision);
  }
  await context.storage.delete(last.revision);
}

async function markUninstalled(
  context: ActionContext,
  last: StoredRecord,
  others: readonly StoredRecord[],
): Promise<void> {
  await supersede(context, others);
  await context.storage.update(last, withStatus(last.record, 'uninstalled', 'Uninstallation complete'));
}

async function removeRelease(
  context: ActionContext,
  stored: StoredRecord,
  options: UninstallOptions,
): Promise<Uninstalled> {
  const revisions = await context.storage.revisions();
  const uninstalled = stored.record.info.status === 'uninstalled';
  const last = uninstalled ? stored : await markUninstalling(context, stored);
  const others = (await readRecords(context, revisions)).filter(({ record }) => record.version !== last.record.version);
  const left = uninstalled ? [] : await deleteObjects(context, last, others, options);
  if (options.keepHistory) await markUninstalled(context, last, others);
  else await deleteRevisions(context, last, revisions);
  return { record: withStatus(last.record, 'uninstalled', 'Uninstallation complete'), left };
}

/**
 * Uninstalls a release. `record` is absent if there is none in storage. A failed uninstall stays `uninstalling` in
 * storage and can be retried.
 */
export async function uninstall(context: ActionContext, options: UninstallOptions): Promise<Uninstalled> {
  const last = lastRevision(await context.storage.revisions());
  const stored = last === undefined ? undefined : await context.storage.read(last.version);
  if (stored === undefined) return { record: undefined };
  if (stored.record.info.status === 'uninstalled' && options.keepHistory) return { record: stored.record };
  try {
    return await removeRelease(context, stored, options);
  } catch (error: unknown) {
    if (isInterruption(error)) throw error;
    return { record: stored.record, error: context.secrets.mask(reasonText(error)) };
  }
}
