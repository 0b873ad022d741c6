import { CLUSTER_ID_ANNOTATION, SELECTION_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Access } from '../../../cluster/model/access.js';
import { type Cluster, type ClusterId, clusterIdFrom, clusterIdText } from '../../../cluster/model/cluster.js';
import { describeChild } from './messages.js';
import type { Child, ClusterReference, Entry, Violation } from './types.js';

/** If no key is named, Flux uses the first of these that the Secret has: naming the one that it has changes nothing. */
const DEFAULT_SECRET_KEYS: readonly string[] = ['value', 'value.yaml'];

/** One text per credential; empty for the cluster of the Application itself. */
export function clusterText(reference: ClusterReference | undefined): string {
  if (reference?.secretRef !== undefined) {
    const [first] = DEFAULT_SECRET_KEYS;
    const { name, key = first } = reference.secretRef;
    return `Secret/${name}/${DEFAULT_SECRET_KEYS.includes(key ?? '') ? first : key}`;
  }
  if (reference?.unresolved !== undefined) return `Unresolved/${reference.unresolved}`;
  return reference?.configMapRef === undefined ? '' : `ConfigMap/${reference.configMapRef.name}`;
}

/** The name of the kubeconfig; undefined for the cluster of the Application itself. */
export function clusterName(reference: ClusterReference | undefined): string | undefined {
  return reference?.secretRef?.name ?? reference?.configMapRef?.name;
}

/** The cluster for people: the name of its kubeconfig, or `host`. */
export function clusterLabel(reference: ClusterReference | undefined): string {
  return clusterName(reference) ?? 'host';
}

/** A cluster of the inventory for people: its name, after its namespace if that is not the one of the Application. */
export function clusterNameIn(namespace: string | undefined, id: Pick<ClusterId, 'namespace' | 'name'>): string {
  return id.namespace === undefined || id.namespace === namespace ? id.name : `${id.namespace}/${id.name}`;
}

/** The name for people from the text of the identity, for a cluster that the inventory may not have any more. */
export function clusterNameFrom(namespace: string | undefined, text: string): string {
  const id = clusterIdFrom(text);
  return id === undefined ? text : clusterNameIn(namespace, id);
}

/** The cluster of a child, if the inventory provided it, as `clusterIdText`. */
export function clusterIdOf({ metadata }: Child): string | undefined {
  return metadata.annotations?.[CLUSTER_ID_ANNOTATION];
}

/** The releases that the selector of a child selects; see `selectionText` of backends. */
export function selectionOf({ metadata }: Child): string | undefined {
  return metadata.annotations?.[SELECTION_ANNOTATION];
}

/** The name of a child's cluster, as in the status. */
export function clusterNameOf(child: Child): string {
  const id = clusterIdOf(child);
  return id === undefined ? clusterLabel(child.spec.kubeConfig) : clusterNameFrom(child.metadata.namespace, id);
}

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
  /** True while it was not asked at all, or not since its credential was written. Default: never. */
  readonly isUnasked?: (id: string) => boolean;
  /** True for some minutes after it was asked so, while it does not answer. Default: never. */
  readonly isSilent?: (id: string) => boolean;
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
  /** True while it was not asked at all, or not since its credential was written. */
  readonly isUnasked: boolean;
  /** True for some minutes after it was asked so, while it does not answer. */
  readonly isSilent: boolean;
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
  isUnasked: false,
  isSilent: false,
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
    isUnasked: view.isUnasked?.(id) ?? false,
    isSilent: view.isSilent?.(id) ?? false,
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

/** Forbids what would act on a cluster that is reached in another way than its children. */
export interface ChangedAccess {
  readonly violationOf: (entry: Entry) => Violation | undefined;
  /** Why a child stays that an entry of its cluster does not match. */
  readonly whyStays: (child: Child) => string | undefined;
}

function accessText(reference: Child['spec']['kubeConfig']): string {
  const name = reference?.secretRef?.name;
  return name === undefined ? 'as the host' : `with the Secret ${name}`;
}

/**
 * The children of clusters that are reached in another way now, e.g. because a label makes one the host: rolled out
 * there, a release could be installed on another cluster, and uninstalled from its own. Never throws.
 */
export function changedAccess(entries: readonly Entry[], owned: readonly Child[]): ChangedAccess {
  const byCluster = new Map<string, Entry>();
  for (const entry of entries) if (entry.cluster !== undefined) byCluster.set(clusterIdText(entry.cluster.id), entry);
  const changed = new Map<string, Child>();
  const stays = new Map<Child, string>();
  for (const child of owned) {
    const id = clusterIdOf(child);
    const entry = id === undefined ? undefined : byCluster.get(id);
    if (id === undefined || entry === undefined) continue;
    if (clusterText(child.spec.kubeConfig) === clusterText(entry.kubeConfig)) continue;
    changed.set(id, child);
    stays.set(child, `because cluster ${entry.clusterName} is now reached ${accessText(entry.kubeConfig)}`);
  }
  return {
    whyStays: (child) => stays.get(child),
    violationOf: ({ cluster, clusterName, path, kubeConfig }) => {
      const child = cluster === undefined ? undefined : changed.get(clusterIdText(cluster.id));
      if (child === undefined) return undefined;
      const message = `${path}: cluster ${clusterName} is now reached ${accessText(kubeConfig)}, but ${describeChild(child)} reaches it ${accessText(child.spec.kubeConfig)}: change the cluster back, or first remove its entries and wait until its children are deleted`;
      return { reason: 'ClusterChanged', message };
    },
  };
}
