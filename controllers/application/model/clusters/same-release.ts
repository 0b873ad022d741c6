import once from 'lodash/once.js';
import uniq from 'lodash/uniq.js';
import { recordedUid } from '#api/v1alpha1/labels.js';
import { clusterIdText } from '../../../cluster/model/cluster.js';
import { backendOf } from '../backends/index.js';
import { clusterIdOf, type ClusterIndex, clusterNameOf, factsOf } from '../child/cluster.js';
import { isInstalledOnce } from '../child/metadata.js';
import { describeChild } from '../child/messages.js';
import type { Child, Entry, ReleaseKey } from '../child/types.js';
import { liveReleaseKey, releaseKeyText } from '../destinations/identity.js';
import { acceptedIn, replacementOf, uidNow } from './replaced.js';

/** The release of an entry or a child on whatever cluster. */
export function textWithoutCluster(release: ReleaseKey): string {
  return releaseKeyText({ ...release, cluster: '' });
}

/** The UIDs that the cluster of a child has, or may have as long as it does not answer. */
function uidsOf(child: Child, clusters: ClusterIndex): string[] {
  const id = clusterIdOf(child);
  if (id === undefined) return [];
  const [now, recorded] = [uidNow(id, clusters), recordedUid(child)];
  const isReplaced = replacementOf(child, clusters) !== undefined;
  if (now !== undefined && !isReplaced && !factsOf(clusters, id).isToBeAsked) return [now];
  const others = isReplaced ? [] : [now, now === undefined ? acceptedIn(clusters, id) : undefined];
  return uniq([recorded, ...others].filter((uid) => uid !== undefined));
}

/** UID of a cluster that answered, and is not asked again; undefined: it is not certain. */
function answeredUid(id: string, clusters: ClusterIndex): string | undefined {
  return factsOf(clusters, id).isToBeAsked ? undefined : uidNow(id, clusters);
}

/** UID of the cluster of an entry; undefined: it is not certain. */
export function certainUidOf({ cluster }: Entry, clusters: ClusterIndex): string | undefined {
  return cluster && answeredUid(clusterIdText(cluster.id), clusters);
}

/** UID of the cluster that a child was made for, and is on; undefined: it is not certain. */
export function certainUid(child: Child, clusters: ClusterIndex): string | undefined {
  const id = clusterIdOf(child);
  const uid = id === undefined ? undefined : answeredUid(id, clusters);
  return uid === recordedUid(child) ? uid : undefined;
}

/** A child, and the releases that it has. */
export type Held = readonly [child: Child, keys: readonly ReleaseKey[]];

/** Keeps the first one of each cluster: anybody may make thousands. */
function addUnder(byText: Map<string, Map<string, Child>>, text: string, child: Child): void {
  const byCluster = byText.get(text) ?? new Map<string, Child>();
  byText.set(text, byCluster);
  const { cluster } = liveReleaseKey(child);
  if (!byCluster.has(cluster)) byCluster.set(cluster, child);
}

/** Children by their releases and the UIDs of their clusters: two names may lead to one cluster. */
export class ReleasesByUid {
  readonly #clusters: ClusterIndex;
  /** Mostly nobody asks. */
  readonly #byRelease: () => ReadonlyMap<string, ReadonlyMap<string, Child>>;

  constructor(clusters: ClusterIndex, held: () => readonly Held[]) {
    this.#clusters = clusters;
    this.#byRelease = once(() => {
      const byText = new Map<string, Map<string, Child>>();
      for (const [child, keys] of held()) {
        for (const text of keys.flatMap((key) => this.#textsOf(child, key))) addUnder(byText, text, child);
      }
      return byText;
    });
  }

  /**
   * A child with a release of this one on the same cluster under another name of it, of several the first. `keys`: the
   * releases of this one. Never throws.
   */
  beside(child: Child, keys: readonly ReleaseKey[] = [liveReleaseKey(child)]): Child | undefined {
    const { cluster } = liveReleaseKey(child);
    for (const text of keys.flatMap((key) => this.#textsOf(child, key))) {
      for (const [name, other] of this.#byRelease().get(text) ?? []) if (name !== cluster) return other;
    }
    return undefined;
  }

  #textsOf(child: Child, key: ReleaseKey): string[] {
    return uidsOf(child, this.#clusters).map((uid) => releaseKeyText({ ...key, cluster: uid }));
  }
}

/** True for a child of which it is not known whether it keeps its release: it may leave it without an uninstall. */
export function mayLetGo(child: Child, clusters: ClusterIndex): boolean {
  // A release that was installed once stays for good.
  if (isInstalledOnce(child)) return false;
  const id = clusterIdOf(child);
  if (child.spec.suspend === true || replacementOf(child, clusters) !== undefined) return true;
  if (id === undefined) return false;
  const { cluster, whyUnknown, isToBeAsked } = factsOf(clusters, id);
  return isToBeAsked || (cluster === undefined && whyUnknown === undefined);
}

/** True for a child whose cluster is gone, so that nobody can ask any more which one it was. */
export function isLost(child: Child, clusters: ClusterIndex): boolean {
  const id = clusterIdOf(child);
  if (id === undefined || recordedUid(child) !== undefined) return false;
  const { cluster, whyUnknown } = factsOf(clusters, id);
  return cluster === undefined && whyUnknown === undefined;
}

/** A child under another name of the cluster of one that it is compared with, for messages. */
export function describeBeside(child: Child): string {
  return `${describeChild(child)} on ${clusterNameOf(child)}, another name of the same cluster,`;
}

/** For an entry that has the release of a child; the way out comes first, because what is too long is cut at its end. */
export function alsoText(release: ReleaseKey): string {
  return `it has ${backendOf(release).describeHeld(release)}, too`;
}

/** Why a child must not uninstall its release: another one has it. `whyStays`: of one that no entry specifies. */
export function whyShared(child: Child, other: Child, whyStays?: string): string {
  const key = liveReleaseKey(child);
  const uninstalled = `${backendOf(key).describeHeld(key)}, too, which this change would uninstall`;
  return whyStays === undefined
    ? `remove or exclude one of the two entries: ${describeBeside(other)} has ${uninstalled}`
    : `waiting: ${whyStays}: ${describeBeside(other)} which no entry specifies, has ${uninstalled}`;
}
