import type { ObjectMeta } from '#api/meta.js';
import type { ReleaseFacts } from '#engine/deletion/facts.js';
import { mayDelete, type Decision } from '#engine/deletion/rule.js';
import { keyOf } from '#lib/kube/keys.js';
import { clusterOf } from '#engine/flux/model/cluster.js';
import type { ActionContext } from './actions/context.js';
import { sharerOf } from './same-target.js';
import { lastRevision, type StoredRevision, type ReleaseRecord } from './model/release.js';
import type { HelmRelease } from './model/types.js';
import type { ReleaseStorage } from './storage.js';
import type { Snapshot } from './model/snapshot.js';
import type { Pass } from './pass.js';

/**
 * The owner of a release; `unmarked` if helm or Flux stored it, which do not name a HelmRelease. One of the same name
 * that another host has is another one.
 */
export function ownerOf(
  { origin, originUid }: StoredRevision,
  metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid'>,
): 'own' | 'foreign' | 'unmarked' {
  if (origin === undefined) return 'unmarked';
  const isSame = originUid === undefined || originUid === metadata.uid;
  return origin === keyOf(metadata) && isSame ? 'own' : 'foreign';
}

/** The newest revision that both storage and `history` contain: it shows whether they are of the same release. */
export function sharedRevision(
  revisions: readonly StoredRevision[],
  history: readonly Snapshot[],
): { readonly version: number; readonly snapshot: Snapshot } | undefined {
  const stored = new Set(revisions.map(({ version }) => version));
  const snapshot = history.find(({ version }) => stored.has(version));
  return snapshot === undefined ? undefined : { version: snapshot.version, snapshot };
}

function secondOf(time: string): number {
  return Math.floor(Date.parse(time) / 1_000);
}

function sameSecond(a: string | undefined, b: string): boolean {
  return a !== undefined && secondOf(a) === secondOf(b);
}

/**
 * True when a snapshot was taken of this stored revision. A release of the same name that is on another cluster, or was
 * reinstalled by hand, has other times.
 */
export function isSnapshotOf(snapshot: Snapshot, { name, namespace, version, chart, info }: ReleaseRecord): boolean {
  return (
    snapshot.name === name &&
    snapshot.namespace === namespace &&
    snapshot.version === version &&
    snapshot.chartName === chart.metadata.name &&
    snapshot.chartVersion === chart.metadata.version &&
    sameSecond(info.first_deployed, snapshot.firstDeployed) &&
    sameSecond(info.last_deployed, snapshot.lastDeployed)
  );
}

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
  const owner = ownerOf(last, metadata);
  if (owner !== 'unmarked') return owner === 'own';
  const shared = sharedRevision(revisions, status?.history ?? []);
  const stored = shared === undefined ? undefined : await storage.read(shared.version);
  return shared !== undefined && stored !== undefined && isSnapshotOf(shared.snapshot, stored.record);
}

/** Asks the deletion rule whether the release in `storage` may be uninstalled; undefined without a release. */
export async function mayUninstall(
  { release, releases }: Pick<Pass, 'release' | 'releases'>,
  context: ActionContext,
  intent: ReleaseFacts['intent'],
): Promise<Decision | undefined> {
  const { storage } = context;
  const revisions = await storage.revisions();
  if (revisions.length === 0) return undefined;
  const { kind } = clusterOf(release.spec);
  const isOwn = await belongsTo(release, storage, revisions);
  const sharer = isOwn ? await sharerOf({ release, releases }, context) : undefined;
  return mayDelete({
    subject: 'release',
    intent,
    target: kind === 'unreadable' ? 'unknown' : kind,
    isSuspended: release.spec.suspend === true,
    isOwn,
    sharedWith: sharer?.name,
    isSharingSure: sharer?.isSure !== false,
  });
}
