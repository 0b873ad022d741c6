import once from 'lodash/once.js';
import { type ClusterId, clusterIdFrom, clusterIdText } from '../../../cluster/model/cluster.js';
import { backendOf } from '../backends/index.js';
import { clusterIdOf } from '../child/cluster.js';
import { describeChild } from '../child/messages.js';
import type { Child, DesiredChild, Entry, ReleaseKey } from '../child/types.js';
import { heldReleaseKeys, liveReleaseKey, releaseKeyText, slotText } from '../destinations/identity.js';
import { isTerminating } from './state.js';

interface Holder {
  readonly child: Child;
  readonly why: string;
  /** UID of its cluster, if it is certain. */
  readonly uid: string | undefined;
  /** True for an entry that the child waits for: it keeps the release. */
  readonly yieldsTo: (entry: Entry) => boolean;
}

function describedPlace({ storageNamespace, releaseName }: ReleaseKey): string {
  return `${storageNamespace}/${releaseName}`;
}

/** The kind of object that describes a cluster: two of one kind describe two clusters. */
function feedText({ apiGroup, kind }: ClusterId): string {
  return `${apiGroup}/${kind}`;
}

/** The holders of one release of which the clusters are described by objects of one kind. */
interface Feed {
  /** By the `clusterIdText` of their clusters. */
  readonly byCluster: Map<string, Holder[]>;
  /** By the UIDs of their clusters; undefined: of those of which that is not certain. */
  readonly byUid: Map<string | undefined, Holder[]>;
}

function addTo<Key>(lists: Map<Key, Holder[]>, key: Key, holder: Holder): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [holder]);
  else known.push(holder);
}

/** The holders of one release, by the cluster of the inventory: thousands of clusters may have it. */
class Holders {
  readonly #byFeed = new Map<string, Feed>();

  add(holder: Holder): void {
    const text = clusterIdOf(holder.child) ?? '';
    const id = clusterIdFrom(text);
    const name = id === undefined ? '' : feedText(id);
    const feed = this.#byFeed.get(name) ?? { byCluster: new Map(), byUid: new Map() };
    this.#byFeed.set(name, feed);
    addTo(feed.byCluster, text, holder);
    addTo(feed.byUid, holder.uid, holder);
  }

  /** The first one besides `live` that may be on the cluster of an entry. `uid`: of that cluster, if it is certain. */
  first(live: Child | undefined, entry: Entry, uid: string | undefined): Holder | undefined {
    for (const holder of this.#near(entry, uid)) if (holder.child !== live && !holder.yieldsTo(entry)) return holder;
    return undefined;
  }

  /** Objects of two kinds may describe the same cluster, unless both clusters are known to be two. */
  *#near({ cluster }: Entry, uid: string | undefined): Generator<Holder> {
    const own = cluster === undefined ? undefined : feedText(cluster.id);
    for (const [name, { byCluster, byUid }] of this.#byFeed) {
      if (cluster !== undefined && name === own) yield* byCluster.get(clusterIdText(cluster.id)) ?? [];
      else if (uid === undefined) for (const holders of byUid.values()) yield* holders;
      else for (const each of [undefined, uid]) yield* byUid.get(each) ?? [];
    }
  }
}

function add(holders: Map<string, Holders>, text: string, holder: Holder): void {
  const known = holders.get(text) ?? new Holders();
  holders.set(text, known);
  known.add(holder);
}

export interface HoldersInput {
  /** All children of an Application; some of those that stay may be terminating already. */
  readonly going: readonly Child[];
  readonly staying: readonly Child[];
  /** The clusters, as `clusterText`, of entries that keep the release of a child: it does not go before they have it. */
  readonly namesBeside?: (child: Child) => ReadonlySet<string>;
  /** UID of the cluster that a child is on, and of that of an entry, if they are certain. Default: they never are. */
  readonly uidOfChild?: (child: Child) => string | undefined;
  readonly uidOfEntry?: (entry: Entry) => string | undefined;
}

/**
 * The releases that the children of an Application hold, which no other child may claim yet. The cluster is ignored for
 * children that are or will be deleted or suspended, for spared ones of clusters that no entry names, and for a release
 * that another child is leaving if the claim is of a new child: both kubeconfigs may be for the same cluster.
 */
export class ReleaseHolders {
  readonly #byRelease = new Map<string, Holders>();
  readonly #leftBySlot = new Map<string, Holders>();
  readonly #movedBySlot = new Map<string, Holders>();

  readonly #namesBeside: (child: Child) => ReadonlySet<string>;
  readonly #uidOfChild: (child: Child) => string | undefined;
  readonly #uidOfEntry: (entry: Entry) => string | undefined;

  constructor({ going, staying, namesBeside = () => new Set(), ...uids }: HoldersInput) {
    this.#namesBeside = namesBeside;
    this.#uidOfChild = uids.uidOfChild ?? (() => undefined);
    this.#uidOfEntry = uids.uidOfEntry ?? (() => undefined);
    for (const child of [...going, ...staying.filter(isTerminating)]) this.#leave(child);
    for (const child of staying.filter((each) => !isTerminating(each))) this.#stay(child);
  }

  #leave(child: Child): void {
    for (const key of heldReleaseKeys(child)) {
      const what = backendOf(key).describeHeld(key);
      const why = `waiting until ${describeChild(child)}, which may have ${what} on that cluster, is deleted`;
      add(this.#leftBySlot, slotText(key), this.#holder(child, why));
    }
  }

  #holder(child: Child, why: string): Holder {
    // Mostly nobody asks.
    const names = once(() => this.#namesBeside(child));
    return { child, why, uid: this.#uidOfChild(child), yieldsTo: ({ release }) => names().has(release.cluster) };
  }

  #stay(child: Child): void {
    const [now, ...before] = heldReleaseKeys(child);
    if (now === undefined) return;
    const why = `${describeChild(child)} has release ${describedPlace(now)}`;
    add(this.#byRelease, releaseKeyText(now), this.#holder(child, why));
    for (const key of before) {
      const holder = this.#holder(
        child,
        `waiting until ${describeChild(child)} has left release ${describedPlace(key)}`,
      );
      add(this.#byRelease, releaseKeyText(key), holder);
      add(this.#movedBySlot, slotText(key), holder);
    }
  }

  /** Why a child cannot claim its desired release; undefined if the release is free. */
  of({ entry, object, live }: DesiredChild): string | undefined {
    const key = liveReleaseKey(object);
    const uid = this.#uidOfEntry(entry);
    const found =
      this.#leftBySlot.get(slotText(key))?.first(live, entry, uid) ??
      this.#byRelease.get(releaseKeyText(key))?.first(live, entry, uid) ??
      (live === undefined ? this.#movedBySlot.get(slotText(key))?.first(live, entry, uid) : undefined);
    return found?.why;
  }
}
