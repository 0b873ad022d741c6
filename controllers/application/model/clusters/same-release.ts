import once from 'lodash/once.js';
import uniq from 'lodash/uniq.js';
import { recordedUid } from '#api/v1alpha1/cluster-uid.js';
import { groupedBy } from '#controllers/runtime/pure/grouped-by.js';
import { backendOf } from '../backends/index.js';
import { clusterIdOf, type ClusterIndex, clusterNameOf, factsOf } from '../child/cluster.js';
import { isLeftAlone } from '../child/metadata.js';
import { describeChild } from '../child/messages.js';
import type { Child, ReleaseKey } from '../child/types.js';
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

/** A child, and the releases that it has. */
export type Held = readonly [child: Child, keys: readonly ReleaseKey[]];

/** Children by their releases and the UIDs of their clusters: two names may lead to one cluster. */
export class ReleasesByUid {
  readonly #clusters: ClusterIndex;
  /** Mostly nobody asks. */
  readonly #byRelease: () => ReadonlyMap<string, readonly (readonly [text: string, child: Child])[]>;

  constructor(clusters: ClusterIndex, held: () => readonly Held[]) {
    this.#clusters = clusters;
    this.#byRelease = once(() => {
      const texts = held().flatMap(([child, keys]) =>
        keys.flatMap((key) => this.#textsOf(child, key).map((text) => [text, child] as const)),
      );
      return groupedBy(texts, ([text]) => text);
    });
  }

  /** A child with the release of this one on the same cluster under another name of it. Never throws. */
  beside(child: Child): Child | undefined {
    const key = liveReleaseKey(child);
    for (const text of this.#textsOf(child, key)) {
      const found = this.#byRelease()
        .get(text)
        ?.find(([, other]) => liveReleaseKey(other).cluster !== key.cluster);
      if (found !== undefined) return found[1];
    }
    return undefined;
  }

  #textsOf(child: Child, key: ReleaseKey): string[] {
    return uidsOf(child, this.#clusters).map((uid) => releaseKeyText({ ...key, cluster: uid }));
  }
}

/** True for a child of which it is not known whether it keeps its release: it may leave it without an uninstall. */
export function mayLetGo(child: Child, clusters: ClusterIndex): boolean {
  // One that was installed once stays for good.
  if (isLeftAlone(child)) return false;
  const id = clusterIdOf(child);
  if (child.spec.suspend === true || replacementOf(child, clusters) !== undefined) return true;
  return id !== undefined && factsOf(clusters, id).isToBeAsked;
}

/** A child under another name of the cluster of one that it is compared with, for messages. */
export function describeBeside(child: Child): string {
  return `${describeChild(child)} on ${clusterNameOf(child)}, another name of the same cluster,`;
}

/** Why a child must not uninstall its release: another one has it. */
export function whyShared(child: Child, other: Child): string {
  const key = liveReleaseKey(child);
  return `remove or exclude one of the two entries: ${describeBeside(other)} has ${backendOf(key).describeHeld(key)}, too, which this change would uninstall`;
}
