import type { ClusterId } from '#controllers/cluster/model/cluster.js';

/** A cluster of the inventory for people: its name, after its namespace if that is not the one of the Application. */
export function clusterNameIn(namespace: string | undefined, id: Pick<ClusterId, 'namespace' | 'name'>): string {
  return id.namespace === undefined || id.namespace === namespace ? id.name : `${id.namespace}/${id.name}`;
}

/** The identity that `clusterIdText` has written; undefined for any other text. */
export function clusterIdFrom(text: string): ClusterId | undefined {
  const [apiGroup, kind, namespace, name, ...more] = text.split('/');
  if (apiGroup === undefined || namespace === undefined || name === undefined || more.length > 0) return undefined;
  if (kind !== 'Cluster' && kind !== 'ClusterProfile' && kind !== 'Secret') return undefined;
  return { apiGroup, kind, namespace: namespace === '' ? undefined : namespace, name };
}

/** The name for people from the text of the identity, for a cluster that the inventory may not have any more. */
export function clusterNameFrom(namespace: string | undefined, text: string): string {
  const id = clusterIdFrom(text);
  return id === undefined ? text : clusterNameIn(namespace, id);
}
