import type { ClusterView } from '../../answers/clusters.js';
import type { KubeObject } from '#api/meta.js';
import { CLUSTER_ID_ANNOTATION, MANAGED_BY_LABEL } from '#api/v1alpha1/labels.js';
import { clusterIdText, type Cluster, type ClusterId } from '#controllers/cluster/model/cluster.js';
import { keyOf } from '#lib/kube/keys.js';

const LOST = 'the inventory does not have it: the object was deleted or lost its label, or its kind is not served';

/** By the identity of the cluster. */
function usersByCluster(children: readonly KubeObject[]): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  for (const { metadata } of children) {
    const id = metadata.annotations?.[CLUSTER_ID_ANNOTATION];
    const application = metadata.labels?.[MANAGED_BY_LABEL];
    if (id === undefined || application === undefined) continue;
    users.set(id, (users.get(id) ?? new Set()).add(keyOf({ ...metadata, name: application })));
  }
  return users;
}

function sorted(users: ReadonlySet<string> | undefined): string[] {
  return [...(users ?? [])].sort();
}

function messageOf({ readiness, credential }: Cluster): string {
  if (readiness.state !== 'Ready' && readiness.message !== '' && credential.type !== 'none') return readiness.message;
  return credential.type === 'none' ? credential.why : '';
}

function viewOf(cluster: Cluster, users: ReadonlySet<string> | undefined): ClusterView {
  const { id, kubernetesVersion = '', readiness, isPaused, labels } = cluster;
  return {
    ...{ apiGroup: id.apiGroup, kind: id.kind, namespace: id.namespace ?? '', name: id.name },
    version: kubernetesVersion,
    state: isPaused ? 'Paused' : readiness.state,
    message: messageOf(cluster),
    labels,
    usedBy: sorted(users),
  };
}

/** A cluster that children are for, and that the inventory lacks. */
function lostView(idText: string, users: ReadonlySet<string> | undefined): ClusterView {
  const [apiGroup = '', kind = '', namespace = '', name = ''] = idText.split('/');
  return {
    ...{ apiGroup, kind, namespace, name },
    ...{ version: '', state: 'Lost', message: LOST, labels: {}, usedBy: sorted(users) },
  };
}

/** A cluster that is granted, and whose object the user may not read. */
function unreadView(idText: string, grant: string, users: ReadonlySet<string> | undefined): ClusterView {
  const message = `granted by ClusterGrant ${grant}; you may not read the object of the cluster`;
  return { ...lostView(idText, users), state: 'Unknown', message };
}

function isListed(idText: string, namespace: string | undefined): boolean {
  const [, , own = ''] = idText.split('/');
  return namespace === undefined || own === '' || own === namespace;
}

/** The first of several with one identity. */
function once(clusters: readonly Cluster[]): ReadonlyMap<string, Cluster> {
  const known = new Map<string, Cluster>();
  for (const cluster of clusters) {
    const id = clusterIdText(cluster.id);
    if (!known.has(id)) known.set(id, cluster);
  }
  return known;
}

export interface Listed {
  readonly clusters: readonly Cluster[];
  readonly children: readonly KubeObject[];
  /** Kinds that could not be read: what children are for may exist there. */
  readonly unread: readonly Pick<ClusterId, 'apiGroup' | 'kind'>[];
  /** Grants of clusters that could not be read, by identity. */
  readonly granted: ReadonlyMap<string, string>;
  /** Undefined: all. */
  readonly namespace: string | undefined;
}

/** One view per cluster, then those that are granted or lost. */
export function clusterViews({ clusters, children, unread, granted, namespace }: Listed): ClusterView[] {
  const users = usersByCluster(children);
  const known = once(clusters);
  const views = [...known].map(([id, cluster]) => viewOf(cluster, users.get(id)));
  const isUnread = (id: string): boolean => unread.some(({ apiGroup, kind }) => id.startsWith(`${apiGroup}/${kind}/`));
  const hidden = [...granted].filter(([id]) => !known.has(id));
  const lost = [...users].filter(
    ([id]) => !known.has(id) && !granted.has(id) && isListed(id, namespace) && !isUnread(id),
  );
  return [
    ...views,
    ...hidden.map(([id, grant]) => unreadView(id, grant, users.get(id))),
    ...lost.map(([id, of]) => lostView(id, of)),
  ];
}
