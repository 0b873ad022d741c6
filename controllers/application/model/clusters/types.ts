import type { Access } from '#controllers/cluster/model/access.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';

/** The inventory as Applications see it, at one moment. */
export interface ClusterView {
  readonly clusters: readonly Cluster[];
  /** By `clusterIdText`. */
  readonly find: (id: string) => Cluster | undefined;
  /** Why clusters may be missing, as sentences; empty: none is. */
  readonly lost: readonly string[];
  /** Why it is unknown whether the cluster with this identity exists; undefined: it is known. */
  readonly whyUnknown: (id: string) => string | undefined;
  /** UID of the namespace kube-system of the cluster with this identity, which tells it from others; if it is known. */
  readonly uidOf: (id: string) => string | undefined;
  /** True while it is open which cluster this is: its UID may become known, or another one, within some minutes. */
  readonly isToBeAsked: (id: string) => boolean;
  /** By what grant a namespace got the cluster, now or before, and what that gives; undefined: nothing tells. */
  readonly grantedBy: (id: string, namespace: string) => string | undefined;
  readonly accessOf: (cluster: Cluster, namespace: string) => Access;
}

/** One cluster as the namespace of an Application sees it, at the moment of a pass. */
export interface ClusterFacts {
  /** Undefined: the inventory does not have it. */
  readonly cluster: Cluster | undefined;
  /** Why it is unknown whether it exists; undefined: it is known. */
  readonly whyUnknown: string | undefined;
  /** True if the namespace may use it. */
  readonly isAllowed: boolean;
  /** By what grant the namespace got it before, and what that gave; undefined: it may use it, or nothing tells. */
  readonly grantedBy: string | undefined;
  /** UID of its namespace kube-system, which tells it from others; undefined: it is not known. */
  readonly uid: string | undefined;
  /** True while it is open which cluster this is: its UID may become known, or another one, within some minutes. */
  readonly isToBeAsked: boolean;
}

/** The clusters that the entries and children of an Application name, by `clusterIdText`. */
export type ClusterIndex = ReadonlyMap<string, ClusterFacts>;

/** Nothing may be concluded about a cluster that was not looked up. */
const NOT_LOOKED_UP: ClusterFacts = {
  cluster: undefined,
  whyUnknown: 'it was not looked up',
  isAllowed: false,
  grantedBy: undefined,
  uid: undefined,
  isToBeAsked: false,
};

function factsIn(view: ClusterView, id: string, namespace: string): ClusterFacts {
  const cluster = view.find(id);
  const isAllowed = cluster !== undefined && view.accessOf(cluster, namespace).allowed;
  return {
    cluster,
    whyUnknown: view.whyUnknown(id),
    isAllowed,
    grantedBy: cluster === undefined || isAllowed ? undefined : view.grantedBy(id, namespace),
    uid: view.uidOf(id),
    isToBeAsked: view.isToBeAsked(id),
  };
}

/** Looks up clusters for an Application of `namespace`. */
export function indexClusters(view: ClusterView, ids: Iterable<string>, namespace: string): ClusterIndex {
  return new Map([...new Set(ids)].map((id) => [id, factsIn(view, id, namespace)]));
}

/** The facts of one cluster; of one that was not looked up, nothing is known. */
export function factsOf(clusters: ClusterIndex, id: string): ClusterFacts {
  return clusters.get(id) ?? NOT_LOOKED_UP;
}
