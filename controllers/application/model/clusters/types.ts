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
  /** True while the UID of the cluster with this identity may become known soon, as it was not asked yet. */
  readonly isToBeAsked: (id: string) => boolean;
  /** By what grant a namespace got the cluster, now or before, and what that gives; undefined: nothing tells. */
  readonly grantedBy: (id: string, namespace: string) => string | undefined;
  readonly accessOf: (cluster: Cluster, namespace: string) => Access;
}
