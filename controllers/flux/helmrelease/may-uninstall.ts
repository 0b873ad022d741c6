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
 * Whether the release in storage is the HelmRelease's: not one that another HelmRelease made, and one that bears no
 * mark only if it is the very release that the status remembers. A kubeconfig may lead to another cluster by now.
 */
async function isOwn(
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

/** Whether a release may be uninstalled where `storage` is; undefined when there is none. */
export async function mayUninstall(
  release: HelmRelease,
  { storage }: Pick<ActionContext, 'storage'>,
  intent: ReleaseFacts['intent'],
): Promise<Decision | undefined> {
  const revisions = await storage.revisions();
  if (revisions.length === 0) return undefined;
  const { kind } = clusterOf(release.spec);
  return mayDelete({
    subject: 'release',
    intent,
    target: kind === 'unreadable' ? 'unknown' : kind,
    isSuspended: release.spec.suspend === true,
    isOwn: await isOwn(release, storage, revisions),
  });
}
