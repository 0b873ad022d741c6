import isEqual from 'lodash/isEqual.js';
import { CONTROL_PLANE_GROUP, INFRASTRUCTURE_GROUP } from '#api/cluster/kinds.js';
import type { KubeObject } from '#api/meta.js';
import type { Cache, Change, Permission, SetupContext, Watch } from '#runtime/controller.js';
import { adaptersFor } from './model/adapters/index.js';
import { clusterIdText, type Cluster, type ClusterId, type Adapter } from './model/cluster.js';

/** What reading the inventory needs. */
export const permissions: readonly Permission[] = [
  { group: 'cluster.kubesphere.io', resources: ['clusters'], verbs: ['get', 'list', 'watch'] },
  { group: 'cluster.x-k8s.io', resources: ['clusters'], verbs: ['get', 'list', 'watch'] },
  // What Clusters refer to, of any provider.
  { group: CONTROL_PLANE_GROUP, resources: ['*'], verbs: ['get'] },
  { group: INFRASTRUCTURE_GROUP, resources: ['*'], verbs: ['get'] },
  { group: 'multicluster.x-k8s.io', resources: ['clusterprofiles'], verbs: ['get', 'list', 'watch'] },
  // Those with the labels of clusters; RBAC cannot tell them from others.
  { group: '', resources: ['secrets'], verbs: ['get', 'list', 'watch'] },
];

/** The clusters that are known at this moment. */
export interface Inventory {
  /** The same array for as long as no cluster changed, and of a cluster that did not change the same value. */
  clusters(): readonly Cluster[];
  get(id: ClusterId): Cluster | undefined;
  /** The object that describes the cluster, as the cache keeps it; for Events. */
  objectOf(id: ClusterId): KubeObject | undefined;
  /**
   * Why clusters may be missing here, each as a sentence; empty if none can be. While there is a reason, a cluster that
   * is missing is unknown, not gone. It may still be incomplete without one, while a CRD is being deleted: ask
   * `existenceOf` before anything is removed.
   */
  readonly lost: readonly string[];
  /** Why it is unknown whether this cluster exists; undefined: `get` has it, or it does not exist. */
  whyUnknown(id: ClusterId): string | undefined;
}

/** One kind of object, in all versions of its API. */
interface Feed {
  readonly adapter: Adapter;
  readonly caches: readonly Cache<KubeObject>[];
  /** True: clusters of it were seen since the start of the process. */
  hadClusters: boolean;
}

export interface ClusterCaches {
  readonly feeds: readonly Feed[];
  readonly namespace: string | undefined;
  /** The cluster of an object that a cache holds, or held; made once. */
  readonly clusterOf: (adapter: Adapter, object: KubeObject) => Cluster;
}

function remembered(): ClusterCaches['clusterOf'] {
  const known = new WeakMap<KubeObject, Cluster>();
  return (adapter, object) => {
    const cluster = known.get(object) ?? adapter.clusterOf(object);
    known.set(object, cluster);
    return cluster;
  };
}

/**
 * Requests these caches during setup. None of them keeps a controller from starting: see `lost`. `namespace`: the only
 * one that the process reads.
 */
export function clusterCaches(context: Pick<SetupContext, 'cache'>, namespace?: string): ClusterCaches {
  const feeds = adaptersFor(namespace).map((adapter): Feed => {
    const { types, labelSelector, metadataOnly = false, keep: transform } = adapter;
    const options = { metadataOnly, transform, optional: true, mayFail: true };
    const selected = labelSelector === undefined ? options : { ...options, labelSelector };
    const caches = types.map((type) => context.cache<KubeObject>(type, selected));
    const feed = { adapter, caches, hadClusters: false };
    for (const cache of caches) cache.onChange(() => (feed.hadClusters = true));
    return feed;
  });
  return { feeds, namespace, clusterOf: remembered() };
}

/** The cache of the version to read: undefined if none is served, or if the preferred one is not synced yet. */
function currentCache({ caches }: Feed): Cache<KubeObject> | undefined {
  const current = caches.find(({ served }) => served);
  return current?.synced === true ? current : undefined;
}

function typeText({ adapter }: Feed): string {
  const [type] = adapter.types;
  return [type?.plural, type?.group].filter((part) => part !== '').join('.');
}

/** Why the clusters of a feed are unknown; undefined if they are known. */
function whyLost(feed: Feed): string | undefined {
  if (currentCache(feed) !== undefined) return undefined;
  const { adapter, caches } = feed;
  if (caches.some(({ served }) => served)) {
    return `the clusters of ${adapter.name} cannot be read: ${typeText(feed)} could not be listed yet`;
  }
  return `the clusters of ${adapter.name} are unknown: the API server does not serve ${typeText(feed)}`;
}

function isOfKind(id: ClusterId): (feed: Feed) => boolean {
  return ({ adapter: { kind } }) => kind.apiGroup === id.apiGroup && kind.kind === id.kind;
}

interface Known {
  readonly cluster: Cluster;
  readonly object: KubeObject;
}

/** What was read, and from where: which version is served, and synced, changes without a change of an object. */
interface Snapshot {
  readonly caches: readonly (Cache<KubeObject> | undefined)[];
  readonly byId: Map<string, Known>;
  /** Undefined after a change of a cluster. */
  clusters: readonly Cluster[] | undefined;
}

class CachedInventory implements Inventory {
  readonly #caches: ClusterCaches;
  #snapshot: Snapshot | undefined;

  constructor(caches: ClusterCaches) {
    this.#caches = caches;
    for (const feed of caches.feeds) {
      for (const cache of feed.caches) cache.onChange(({ object }) => this.#hear(feed, cache, object));
    }
  }

  clusters(): readonly Cluster[] {
    const snapshot = this.#read();
    snapshot.clusters ??= [...snapshot.byId.values()].map(({ cluster }) => cluster);
    return snapshot.clusters;
  }

  get(id: ClusterId): Cluster | undefined {
    return this.#read().byId.get(clusterIdText(id))?.cluster;
  }

  objectOf(id: ClusterId): KubeObject | undefined {
    return this.#read().byId.get(clusterIdText(id))?.object;
  }

  get lost(): readonly string[] {
    const served = this.#caches.feeds.filter(({ caches, hadClusters }) => hadClusters || caches.some((c) => c.served));
    return served.flatMap((feed) => whyLost(feed) ?? []);
  }

  whyUnknown(id: ClusterId): string | undefined {
    const { namespace, feeds } = this.#caches;
    if (namespace !== undefined && id.namespace !== namespace) {
      return `this controller reads no other namespace than ${namespace}`;
    }
    return feeds
      .filter(isOfKind(id))
      .map(whyLost)
      .find((why) => why !== undefined);
  }

  #read(): Snapshot {
    const caches = this.#caches.feeds.map(currentCache);
    const isCurrent = this.#snapshot?.caches.every((cache, index) => cache === caches[index]) === true;
    if (this.#snapshot === undefined || !isCurrent) this.#snapshot = this.#readFrom(caches);
    return this.#snapshot;
  }

  /** Changes one cluster of the snapshot: an object that changes ten times a second costs no more than itself. */
  #hear(feed: Feed, cache: Cache<KubeObject>, object: KubeObject): void {
    const snapshot = this.#snapshot;
    if (snapshot?.caches[this.#caches.feeds.indexOf(feed)] !== cache) return;
    const { id } = this.#caches.clusterOf(feed.adapter, object);
    const text = clusterIdText(id);
    const [known, found] = [snapshot.byId.get(text), this.#find(id, snapshot.caches)];
    const isSame = isEqual(known?.cluster, found?.cluster);
    if (found === undefined) snapshot.byId.delete(text);
    else snapshot.byId.set(text, { object: found.object, cluster: (isSame ? known : found)?.cluster ?? found.cluster });
    if (!isSame) snapshot.clusters = undefined;
  }

  /** The object of a cluster; of several that describe it, that of the first adapter. */
  #find(id: ClusterId, caches: Snapshot['caches']): Known | undefined {
    for (const [index, feed] of this.#caches.feeds.entries()) {
      const object = isOfKind(id)(feed) ? caches[index]?.get(id) : undefined;
      if (object !== undefined) return { cluster: this.#caches.clusterOf(feed.adapter, object), object };
    }
    return undefined;
  }

  #readFrom(caches: Snapshot['caches']): Snapshot {
    const byId = new Map<string, Known>();
    for (const [index, { adapter }] of this.#caches.feeds.entries()) {
      for (const object of caches[index]?.list() ?? []) {
        const cluster = this.#caches.clusterOf(adapter, object);
        const id = clusterIdText(cluster.id);
        if (!byId.has(id)) byId.set(id, { cluster, object });
      }
    }
    return { caches, byId, clusters: undefined };
  }
}

export function inventoryOf(caches: ClusterCaches): Inventory {
  return new CachedInventory(caches);
}

/** A cluster before and after a change; undefined where there is none. */
export type ClusterChange = readonly [before: Cluster | undefined, after: Cluster | undefined];

/** Watches of a controller that depends on clusters. What only one version of an API reports is not news. */
export function clusterWatches(caches: ClusterCaches, toKeys: (...change: ClusterChange) => string[]): Watch[] {
  return caches.feeds.flatMap((feed) => {
    const clusterOf = (object: KubeObject | undefined): Cluster | undefined =>
      object === undefined ? undefined : caches.clusterOf(feed.adapter, object);
    const keysOf = ({ type, object, previous }: Change): string[] =>
      type === 'deleted' ? toKeys(clusterOf(previous), undefined) : toKeys(clusterOf(previous), clusterOf(object));
    return feed.caches.map((cache): Watch => {
      const isNews = (): boolean => !cache.served || cache === feed.caches.find(({ served }) => served);
      return { cache, toKeys: (change) => (isNews() ? keysOf(change) : []) };
    });
  });
}
