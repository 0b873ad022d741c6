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
  /** True for an entry that the child waits for, which keeps the release, and for one on another cluster. */
  readonly yieldsTo: (entry: Entry) => boolean;
}

function describedPlace({ storageNamespace, releaseName }: ReleaseKey): string {
  return `${storageNamespace}/${releaseName}`;
}

/** The kind of object that describes a cluster: two of one kind describe two clusters. */
function feedText({ apiGroup, kind }: ClusterId): string {
  return `${apiGroup}/${kind}`;
}

/** The holders of one release, by the cluster of the inventory: thousands of clusters may have it. */
class Holders {
  readonly #byFeed = new Map<string, Map<string, Holder[]>>();

  add(holder: Holder): void {
    const text = clusterIdOf(holder.child) ?? '';
    const id = clusterIdFrom(text);
    const feed = id === undefined ? '' : feedText(id);
    const byCluster = this.#byFeed.get(feed) ?? new Map<string, Holder[]>();
    this.#byFeed.set(feed, byCluster);
    const known = byCluster.get(text);
    if (known === undefined) byCluster.set(text, [holder]);
    else known.push(holder);
  }

  /** The first one besides `live` that may be on the cluster of an entry. */
  first(live: Child | undefined, entry: Entry): Holder | undefined {
    for (const holder of this.#near(entry)) if (holder.child !== live && !holder.yieldsTo(entry)) return holder;
    return undefined;
  }

  /** Objects of two kinds may describe the same cluster. */
  *#near({ cluster }: Entry): Generator<Holder> {
    const own = cluster === undefined ? undefined : feedText(cluster.id);
    for (const [feed, byCluster] of this.#byFeed) {
      if (cluster !== undefined && feed === own) yield* byCluster.get(clusterIdText(cluster.id)) ?? [];
      else for (const holders of byCluster.values()) yield* holders;
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
  /** True if the clusters of both answered, and are two. Default: never. */
  readonly areApart?: (child: Child, entry: Entry) => boolean;
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
  readonly #areApart: (child: Child, entry: Entry) => boolean;

  constructor({ going, staying, namesBeside = () => new Set(), areApart = () => false }: HoldersInput) {
    this.#namesBeside = namesBeside;
    this.#areApart = areApart;
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
    return { child, why, yieldsTo: (entry) => names().has(entry.release.cluster) || this.#areApart(child, entry) };
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
    const found =
      this.#leftBySlot.get(slotText(key))?.first(live, entry) ??
      this.#byRelease.get(releaseKeyText(key))?.first(live, entry) ??
      (live === undefined ? this.#movedBySlot.get(slotText(key))?.first(live, entry) : undefined);
    return found?.why;
  }
}
