import type { Cluster } from './cluster.js';
import { grantsCluster, grantsNamespace, type Grant } from './grant.js';

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

/** The grant by which a namespace may use a cluster: of several the first by name, as a whole. */
export function grantFor(cluster: AccessibleCluster, namespace: string, view: AccessView): Grant | undefined {
  return view.grants.find(
    (grant) =>
      grantsCluster(grant, cluster, view.controllerNamespace) &&
      grantsNamespace(grant, namespace, view.namespaceLabels(namespace)),
  );
}

/** Whether a namespace may use a cluster. Clusters of its own need no grant, and no grant limits them. */
export function accessOf(cluster: AccessibleCluster, namespace: string, view: AccessView): Access {
  if (isOwn(cluster, namespace)) return { allowed: true, targetNamespaces: 'any' };
  const grant = grantFor(cluster, namespace, view);
  if (grant === undefined) return { allowed: false };
  return { allowed: true, grant: grant.name, targetNamespaces: grant.targetNamespaces };
}
