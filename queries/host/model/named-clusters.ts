import { readFullName } from '#api/v1alpha1/cluster-name.js';
import type { ClusterView } from '../../answers/clusters.js';

/** What destinations call the cluster that Fairlead runs in. */
const HOST = 'host';
const NO_OBJECT = 'destinations name it, and you may read no object that describes it';

/** `namespace/name` of the object of a cluster; without a namespace, for what is cluster-scoped, it begins with `/`. */
export function placeOf({ namespace, name }: Pick<ClusterView, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

/**
 * Where the objects are, of those that are known, that a destination of an Application in `namespace` may mean by
 * `cluster`. What has no object is where its Application is, and the host is in no namespace.
 */
export function meantBy(cluster: string, namespace: string, known: ReadonlySet<string>): readonly string[] {
  // The name in a status has the namespace if that is not the one of the Application.
  const full = readFullName(cluster);
  if (full !== undefined) return [`${full.namespace ?? ''}/${full.name}`];
  const places = cluster.includes('/') ? [cluster] : [`${namespace}/${cluster}`, `/${cluster}`];
  const found = places.filter((place) => known.has(place));
  if (found.length > 0) return found;
  return cluster === HOST ? [`/${HOST}`] : places.slice(0, 1);
}

/** A cluster that destinations name, and no object that the user may read. */
export function namedView(place: string, usedBy: readonly string[]): ClusterView {
  const [namespace = '', name = ''] = place.split('/');
  const nothing = { apiGroup: '', kind: '', version: '', labels: {} };
  const isHost = place === `/${HOST}`;
  return { ...nothing, namespace, name, state: isHost ? 'Ready' : 'Unknown', message: isHost ? '' : NO_OBJECT, usedBy };
}

/** What of an Application names clusters. */
export interface NamesClusters {
  readonly namespace: string;
  readonly name: string;
  readonly destinations: readonly { readonly cluster: string }[];
}

/** Those that destinations of the Applications name, and that have none of the views. */
export function namedClusters(views: readonly ClusterView[], applications: readonly NamesClusters[]): ClusterView[] {
  const known = new Set(views.map(placeOf));
  const users = new Map<string, Set<string>>();
  for (const { namespace, name, destinations } of applications) {
    const places = destinations.flatMap(({ cluster }) => meantBy(cluster, namespace, known));
    for (const place of places) users.set(place, (users.get(place) ?? new Set()).add(`${namespace}/${name}`));
  }
  const others = [...users].filter(([place]) => !known.has(place));
  return others.map(([place, of]) => namedView(place, [...of].sort()));
}
