import { ACCEPT_CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { listed } from '#lib/text/text.js';
import { describeObject } from '#lib/net/urls.js';
import type { DestinationView } from '../answers/application.js';

/** The object that describes a cluster. */
export type ClusterObject = NonNullable<DestinationView['replaced']>['object'];

/** A cluster that took the place of another one, and the destinations that wait because of that. */
export interface ReplacedCluster {
  readonly object: ClusterObject;
  /** UIDs of the clusters that the destinations are for, as somebody may have written them; usually one. */
  readonly recorded: readonly string[];
  /** UID of the one that answers. */
  readonly found: string;
  readonly destinations: readonly DestinationView[];
}

const NAMED = 20;
/** Of Kubernetes, so that a command can be copied into a shell; a cluster may answer with any text. */
const NAME = /^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$/;

/** `Secret shop/eu`, or `Cluster.cluster.x-k8s.io shop/eu`: never that of another object. */
export function clusterObjectText({ apiGroup, kind, namespace, name }: ClusterObject): string {
  return describeObject(apiGroup === undefined ? kind : `${kind}.${apiGroup}`, { namespace, name });
}

/** The clusters that may be accepted, each once, by their objects. Never throws. */
export function replacedClusters(destinations: readonly DestinationView[]): ReplacedCluster[] {
  const groups = new Map<string, DestinationView[]>();
  for (const each of destinations) {
    if (each.replaced === undefined) continue;
    const key = JSON.stringify([clusterObjectText(each.replaced.object), each.replaced.found]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.flatMap(([, group]) => {
    const [first] = group.flatMap(({ replaced }) => replaced ?? []);
    const recorded = new Set(group.flatMap(({ replaced }) => replaced?.recorded ?? []));
    return first === undefined ? [] : [{ ...first, recorded: [...recorded].sort(), destinations: group }];
  });
}

/** What somebody saw, and accepts. */
export interface Acceptance {
  /** As `clusterObjectText`. */
  readonly object: string;
  /** UID of the cluster that answers. */
  readonly clusterUid: string;
}

/**
 * The cluster that is accepted, or why it cannot be: the object is one that destinations wait for, and the UID the one
 * that answers there. Never throws.
 */
export function acceptedCluster(
  destinations: readonly DestinationView[],
  { object, clusterUid }: Acceptance,
): ReplacedCluster | { readonly problem: string } {
  const clusters = replacedClusters(destinations);
  const here = clusters.filter((each) => clusterObjectText(each.object) === object);
  const found = here.find((each) => each.found === clusterUid);
  if (found !== undefined) return found;
  const [other] = here;
  if (other !== undefined) {
    return { problem: `the cluster of ${object} that answers has the UID ${other.found} by now: look at it first` };
  }
  const names = [...new Set(clusters.map((each) => clusterObjectText(each.object)))];
  const others = names.length === 0 ? '' : `, only for ${listed(names, NAMED)}`;
  return { problem: `no destination waits because the cluster of ${object} was replaced${others}` };
}

/** What comes of it: an Application that is being deleted waits as well, and so does what no entry wants any more. */
export function acceptedText({ object, found, destinations }: ReplacedCluster): string {
  const count = destinations.length === 1 ? '1 destination' : `${destinations.length} destinations`;
  return (
    `${clusterObjectText(object)} accepts the cluster with the UID ${found}: ${count} of this Application, and those of ` +
    'others that wait for it, go on there: what is wanted is installed, and what is to be removed is uninstalled; what ' +
    'is on the old cluster stays'
  );
}

/** What does the same in a terminal; empty if a name or the UID is not one of Kubernetes. */
export function acceptCommand({ object, found }: Pick<ReplacedCluster, 'object' | 'found'>): string {
  const { apiGroup, kind, namespace, name } = object;
  const parts = [kind, name, found, ...[apiGroup, namespace].filter((part) => part !== undefined)];
  if (!parts.every((part) => NAME.test(part))) return '';
  const type = [kind.toLowerCase(), ...(apiGroup === undefined ? [] : [apiGroup])].join('.');
  const of = namespace === undefined ? name : `${name} --namespace ${namespace}`;
  return `kubectl annotate --overwrite ${type} ${of} ${ACCEPT_CLUSTER_UID_ANNOTATION}=${found}`;
}
