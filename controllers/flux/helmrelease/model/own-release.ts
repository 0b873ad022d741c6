import type { ReleaseRecord, StoredRevision } from './release.js';
import type { Snapshot } from './snapshot.js';

/** The owner of a release; `unmarked` if helm or Flux stored it, which do not name a HelmRelease. */
export function ownerOf({ origin }: StoredRevision, own: string): 'own' | 'foreign' | 'unmarked' {
  if (origin === undefined) return 'unmarked';
  return origin === own ? 'own' : 'foreign';
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
  // Parses a time, does not read the clock.
  // eslint-disable-next-line no-restricted-globals
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
