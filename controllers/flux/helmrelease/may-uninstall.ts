import type { ReleaseFacts } from '../../deletion/facts.js';
import { mayDelete, type Decision } from '../../deletion/rule.js';
import { keyOf } from '../../runtime/pure/keys.js';
import type { ActionContext } from './actions/context.js';
import { clusterOf } from '../shared/model/cluster.js';
import { isSnapshotOf, ownerOf, sharedRevision } from './model/own-release.js';
import { lastRevision, type StoredRevision } from './model/release.js';
import type { HelmRelease } from './model/types.js';
import type { ReleaseStorage } from './storage.js';

/**
 * True if the release in storage belongs to the HelmRelease: its label says so, or it has none and is the very release
 * in the status. A kubeconfig may have been changed to another cluster.
 */
async function belongsTo(
  { metadata, status }: HelmRelease,
  storage: Pick<ReleaseStorage, 'read'>,
  revisions: readonly StoredRevision[],
): Promise<boolean> {
  const last = lastRevision(revisions);
  if (last === undefined) return false;
  const owner = ownerOf(last, keyOf(metadata));
  if (owner !== 'unmarked') return owner === 'own';
  const shared = sharedRevision(revisions, status?.history ?? []);
  const stored = shared === undefined ? undefined : await storage.read(shared.version);
  return shared !== undefined && stored !== undefined && isSnapshotOf(shared.snapshot, stored.record);
}

/** Asks the deletion rule whether the release in `storage` may be uninstalled; undefined without a release. */
export async function mayUninstall(
  release: HelmRelease,
  { storage }: Pick<ActionContext, 'storage'>,
  intent: ReleaseFacts['intent'],
): Promise<Decision | undefined> {
  const revisions = await storage.revisions();
  if (revisions.length === 0) return undefined;
  const { kind } = clusterOf(release.spec);
  const isOwn = await belongsTo(release, storage, revisions);
  return mayDelete({
    subject: 'release',
    intent,
    target: kind === 'unreadable' ? 'unknown' : kind,
    isSuspended: release.spec.suspend === true,
    isOwn,
  });
}
