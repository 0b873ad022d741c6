import { defined } from '#lib/plain.js';
import { clusterIdText, type Cluster, type ClusterId } from './cluster.js';
import { grantsCluster, grantsNamespace, selectsWhere, type Grant, type GrantedCredential } from './grant.js';

/** What access is decided from; all of it from caches. */
export interface AccessView {
  /** From `readGrants`. */
  readonly grants: readonly Grant[];
  readonly namespaceLabels: (namespace: string) => Readonly<Record<string, string>>;
  /** Where a selector takes clusters from if its grant lists no namespaces. */
  readonly controllerNamespace: string;
}

export type Access =
  | {
      readonly allowed: true;
      /** Name of the ClusterGrant; undefined for a cluster of the namespace itself. */
      readonly grant?: string;
      readonly targetNamespaces: 'any' | readonly string[];
    }
  | { readonly allowed: false };

/** The part of a cluster that access depends on. */
export type AccessibleCluster = Pick<Cluster, 'id' | 'labels' | 'credential'>;

/**
 * True for a cluster of the namespace itself: who writes there described it. Not if its credential is in another
 * namespace, which would hand out what the author of the description may not read.
 */
function isOwn({ id, credential }: AccessibleCluster, namespace: string): boolean {
  const isElsewhere = 'namespace' in credential && credential.namespace !== namespace;
  return id.namespace === namespace && !isElsewhere;
}

/** How a namespace may use a cluster. */
export interface Permit {
  /** Name of the ClusterGrant; undefined for a cluster of the namespace itself. */
  readonly grant: string | undefined;
  readonly credential: GrantedCredential;
  readonly targetNamespaces: 'any' | readonly string[];
}

const OWN: Permit = { grant: undefined, credential: { type: 'SharedCredential' }, targetNamespaces: 'any' };

/**
 * How a namespace may use a cluster; undefined: not at all. Its own it may use in full, which no grant limits; else the
 * grant decides, of several the first by name, as a whole.
 */
export function permitOf(cluster: AccessibleCluster, namespace: string, view: AccessView): Permit | undefined {
  if (isOwn(cluster, namespace)) return OWN;
  return permitBy((grant) => grantsCluster(grant, cluster, view.controllerNamespace), namespace, view);
}

/**
 * How a namespace may use a cluster that the inventory does not have, which it could use by `recorded`, the name of a
 * grant, before. The labels of the cluster are not known: a grant with a selector is believed if it is the recorded one.
 */
export function permitOfMissing(
  id: ClusterId,
  recorded: string | undefined,
  namespace: string,
  view: AccessView,
): Permit | undefined {
  if (recorded === undefined && id.namespace === namespace) return OWN;
  const isFor = (grant: Grant): boolean =>
    grant.clusters.has(clusterIdText(id)) ||
    (grant.name === recorded && selectsWhere(grant, id, view.controllerNamespace));
  return permitBy(isFor, namespace, view);
}

function permitBy(isForCluster: (grant: Grant) => boolean, namespace: string, view: AccessView): Permit | undefined {
  const found = view.grants.find(
    (grant) => isForCluster(grant) && grantsNamespace(grant, namespace, view.namespaceLabels(namespace)),
  );
  if (found === undefined) return undefined;
  const { name, credential, targetNamespaces } = found;
  return { grant: name, credential, targetNamespaces };
}

/** Whether a namespace may use a cluster. */
export function accessOf(cluster: AccessibleCluster, namespace: string, view: AccessView): Access {
  const permit = permitOf(cluster, namespace, view);
  if (permit === undefined) return { allowed: false };
  const { grant, targetNamespaces } = permit;
  return { allowed: true, ...defined({ grant }), targetNamespaces };
}
