import type { ReleaseRecord, StoredRevision } from './release.js';
import type { Snapshot } from './snapshot.js';

/** Whose a release is: `unmarked` ones were stored by helm or Flux, which say nothing of a HelmRelease. */
export function ownerOf({ origin }: StoredRevision, own: string): 'own' | 'foreign' | 'unmarked' {
  if (origin === undefined) return 'unmarked';
  return origin === own ? 'own' : 'foreign';
}

/** The newest revision in storage that `history` has, too: what tells whether they are of the same release. */
export function sharedRevision(
  revisions: readonly StoredRevision[],
  history: readonly Snapshot[],
): { readonly version: number; readonly snapshot: Snapshot } | undefined {
  const stored = new Set(revisions.map(({ version }) => version));
  const snapshot = history.find(({ version }) => stored.has(version));
  return snapshot === undefined ? undefined : { version: snapshot.version, snapshot };
}

function secondOf(time: string): number {
  // Not a clock: reads the time that it is given.
  // eslint-disable-next-line no-restricted-globals
  return Math.floor(Date.parse(time) / 1_000);
}

function sameSecond(a: string | undefined, b: string): boolean {
  return a !== undefined && secondOf(a) === secondOf(b);
}

/**
 * True when a stored revision is the very one that a snapshot was taken of. A release of the same name on another
 * cluster, or one that was installed anew by hand, has other times.
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
