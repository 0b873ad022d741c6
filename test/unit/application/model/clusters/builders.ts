import type { ClusterView } from '#controllers/application/model/child/cluster.js';
import { accessOf, type AccessView } from '#controllers/cluster/model/access.js';
import { clusterIdText, type Cluster } from '#controllers/cluster/model/cluster.js';
import { readGrants } from '#controllers/cluster/model/grant.js';
import { cluster, clusterGrant, secretCluster } from '../../../cluster/model/builders.js';
import { deploy, type Deploy } from '../builders.js';

/** A cluster of the namespace of the Application of the other builders. */
export function own(name: string, labels: Record<string, string> = {}, more: Partial<Cluster> = {}): Cluster {
  return { ...secretCluster('shop', name, labels), ...more };
}

/** A cluster of KubeSphere, which needs a grant. */
export function central(name: string, labels: Record<string, string> = {}, more: Partial<Cluster> = {}): Cluster {
  const id = { apiGroup: 'cluster.kubesphere.io', kind: 'Cluster', namespace: undefined, name } as const;
  return cluster(id, { labels, ...more });
}

/** An inventory whose grants give the clusters with the label `granted` to the namespace web. */
export function inventory(clusters: readonly Cluster[], more: Partial<ClusterView> = {}): ClusterView {
  const grant = clusterGrant('all', { clusters: { selector: { matchLabels: { granted: 'yes' } } } });
  const view: AccessView = {
    grants: readGrants([grant]),
    namespaceLabels: () => ({}),
    controllerNamespace: 'fairlead',
  };
  const byId = new Map(clusters.map((each) => [clusterIdText(each.id), each]));
  return {
    clusters,
    find: (id) => byId.get(id),
    lost: [],
    whyUnknown: () => undefined,
    uidOf: () => undefined,
    isToBeAsked: () => false,
    grantedBy: () => undefined,
    accessOf: (each, namespace) => accessOf(each, namespace, view),
    ...more,
  };
}

type Destination = NonNullable<Deploy['destination']>;

/** An entry for namespace web of the clusters that `destination` names. */
export function toClusters(destination: Destination, more: Partial<Deploy> = {}): Deploy {
  return { ...deploy('web'), destination: { targetNamespace: 'web', ...destination }, ...more };
}

/** An entry for the clusters with a label. */
export function selecting(labels: Record<string, string>, exclude?: string[], more: Partial<Deploy> = {}): Deploy {
  const excluded = exclude === undefined ? {} : { exclude };
  return toClusters({ clusterSelector: { matchLabels: labels, ...excluded } }, more);
}
