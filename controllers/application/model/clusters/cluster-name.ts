import type { ClusterId } from '#controllers/cluster/model/cluster.js';

/** A cluster of the inventory for people: its name, after its namespace if that is not the one of the Application. */
export function clusterNameIn(namespace: string | undefined, id: Pick<ClusterId, 'namespace' | 'name'>): string {
  return id.namespace === undefined || id.namespace === namespace ? id.name : `${id.namespace}/${id.name}`;
}

/** The same from the text of the identity, for a cluster that the inventory may not have any more. */
export function clusterNameFrom(namespace: string | undefined, idText: string): string {
  const [, , home = '', name = idText] = idText.split('/');
  return clusterNameIn(namespace, { namespace: home === '' ? undefined : home, name });
}
