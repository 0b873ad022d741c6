import { clusterIdFrom, type ClusterId } from '#controllers/cluster/model/cluster.js';

/** A cluster of the inventory for people: its name, after its namespace if that is not the one of the Application. */
export function clusterNameIn(namespace: string | undefined, id: Pick<ClusterId, 'namespace' | 'name'>): string {
  return id.namespace === undefined || id.namespace === namespace ? id.name : `${id.namespace}/${id.name}`;
}

/** The name for people from the text of the identity, for a cluster that the inventory may not have any more. */
export function clusterNameFrom(namespace: string | undefined, text: string): string {
  const id = clusterIdFrom(text);
  return id === undefined ? text : clusterNameIn(namespace, id);
}
