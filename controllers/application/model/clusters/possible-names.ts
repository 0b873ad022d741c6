import { recordedUid } from '#api/v1alpha1/labels.js';
import { clusterIdText } from '../../../cluster/model/cluster.js';
import { clusterIdOf, type ClusterIndex, clusterNameOf, factsOf } from '../child/cluster.js';
import type { Child, DesiredChild, Entry, ReleaseKey } from '../child/types.js';
import { liveReleaseKey } from '../destinations/identity.js';
import { acceptedIn } from './replaced.js';
import { textWithoutCluster } from './same-release.js';

/** An entry that is accepted or rejected, and its child. */
interface Matched {
  readonly entry: Entry;
  readonly live: Child | undefined;
}

/** The names, for people, of the clusters of the inventory that have or are to have a release, by their `cluster`. */
type Names = ReadonlyMap<string, string>;

/** One name would do, if it were not the own one: thousands of clusters may have a release. */
const ENOUGH = 2;

function namesByRelease(matched: readonly Matched[], leftovers: readonly Child[]): ReadonlyMap<string, Names> {
  const found = new Map<string, Map<string, string>>();
  const add = (release: ReleaseKey, name: string): void => {
    const text = textWithoutCluster(release);
    const names = found.get(text) ?? new Map<string, string>();
    found.set(text, names);
    if (names.size < ENOUGH) names.set(release.cluster, name);
  };
  for (const { entry } of matched) if (entry.cluster !== undefined) add(entry.release, entry.clusterName);
  for (const child of [...matched.flatMap(({ live }) => live ?? []), ...leftovers]) {
    if (clusterIdOf(child) !== undefined) add(liveReleaseKey(child), clusterNameOf(child));
  }
  return found;
}

/**
 * Finds the name, for people, of another cluster of the inventory on which the Application has a release, or is to have
 * it: it may be the same cluster. Undefined: there is none.
 */
export function otherNameFinder(
  matched: readonly Matched[],
  leftovers: readonly Child[],
): (release: ReleaseKey) => string | undefined {
  const names = namesByRelease(matched, leftovers);
  return (release) => {
    for (const [cluster, name] of names.get(textWithoutCluster(release)) ?? [])
      if (cluster !== release.cluster) return name;
    return undefined;
  };
}

/** True if the child is for a certain cluster although that does not answer: its engine acts on no other. */
function isForKnown({ object }: DesiredChild, id: string, clusters: ClusterIndex): boolean {
  const recorded = recordedUid(object);
  if (recorded === undefined || factsOf(clusters, id).uid !== undefined) return false;
  return [undefined, recorded].includes(acceptedIn(clusters, id));
}

/** Why a new child waits: its cluster does not answer, and may be that of another one with the same release. */
export function whySilent(
  desired: DesiredChild,
  clusters: ClusterIndex,
  otherName: (release: ReleaseKey) => string | undefined,
): string | undefined {
  const { cluster, clusterName, release } = desired.entry;
  const id = cluster && clusterIdText(cluster.id);
  if (id === undefined || !factsOf(clusters, id).isSilent || isForKnown(desired, id, clusters)) return undefined;
  const other = otherName(release);
  return (
    other &&
    `waiting for some minutes, or until cluster ${clusterName} answers: it may be another name of cluster ${other}, which has or is to have the same release`
  );
}
