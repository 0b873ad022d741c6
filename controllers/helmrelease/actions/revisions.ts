import { ConflictError } from '#lib/errors.js';
import {
  revisionsToDelete,
  type StoredRevision,
  lastRevision,
  type ReleaseRecord,
  type ReleaseStatus,
  describeUnlocked,
  isPending,
  withStatus,
} from '../model/release.js';
import type { Hook } from '../model/manifest.js';
import { timestamp, type StoredRecord } from '../storage.js';
import type { ActionContext, Desired, Outcome } from './context.js';

interface RevisionOptions {
  readonly version: number;
  readonly status: ReleaseStatus;
  readonly description: string;
  /** RFC 3339; absent: now. */
  readonly firstDeployed?: string | undefined;
}

function hooksOf(hooks: readonly Hook[]): { hooks?: Hook[] } {
  return hooks.length === 0 ? {} : { hooks: [...hooks] };
}

/** The record of a new revision. */
export function newRevision(context: ActionContext, desired: Desired, options: RevisionOptions): ReleaseRecord {
  const now = timestamp(context);
  const { chart, values, rendered } = desired;
  return {
    name: context.releaseName,
    info: {
      first_deployed: options.firstDeployed ?? now,
      last_deployed: now,
      description: options.description,
      status: options.status,
      ...(rendered.notes === '' ? {} : { notes: rendered.notes }),
    },
    chart,
    ...(Object.keys(values).length === 0 ? {} : { config: { ...values } }),
    manifest: rendered.manifest,
    ...hooksOf(rendered.hooks),
    version: options.version,
    namespace: context.namespace,
    apply_method: 'ssa',
  };
}

/**
 * The revisions in storage, if the newest is still the observed one (0: none). Throws ConflictError otherwise: another
 * owner, or helm by hand, was faster, and a new revision would hide theirs.
 */
export async function requireObservedRevision(context: ActionContext, version: number): Promise<StoredRevision[]> {
  const revisions = await context.storage.revisions();
  const newest = lastRevision(revisions)?.version ?? 0;
  if (newest === version) return revisions;
  throw new ConflictError(
    `release ${context.releaseName} has revision ${newest}; the action was decided on ${version}`,
  );
}

/**
 * Deletes revisions beyond the limit. A conflict leaves a revision to the next action: pruning must not prevent the
 * outcome from being reported.
 */
export async function pruneHistory(
  { storage }: Pick<ActionContext, 'storage'>,
  revisions: readonly StoredRevision[],
  maxHistory: number,
): Promise<void> {
  for (const old of revisionsToDelete(revisions, maxHistory)) {
    try {
      await storage.delete(old);
    } catch (error: unknown) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}

/** Marks a revision as failed that an interrupted action left pending. `was`: its status before. */
export async function unlock(context: ActionContext, version: number): Promise<Outcome & { readonly was?: string }> {
  const stored = await context.storage.read(version);
  if (stored === undefined || !isPending(stored.record.info.status)) return { record: stored?.record };
  const was = stored.record.info.status;
  const record = withStatus(stored.record, 'failed', describeUnlocked(was));
  await context.storage.update(stored, record);
  return { record, was };
}

/** As in Helm, the old revision is marked first, so that there are never two deployed ones. */
export async function supersede(context: ActionContext, deployed: readonly StoredRecord[]): Promise<void> {
  for (const old of deployed) {
    if (old.record.info.status !== 'deployed') continue;
    await context.storage.update(old, withStatus(old.record, 'superseded', old.record.info.description ?? ''));
  }
}
