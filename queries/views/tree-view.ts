import type { ObjectView, TreeView } from '../answers/members.js';
import type { Application } from '#api/v1alpha1/application.js';
import { shownCluster } from '#api/v1alpha1/cluster-name.js';
import { listed } from '#lib/text/text.js';
import { viewOf } from './application-view.js';
import type { DestinationView } from '../answers/application.js';

/** An object as it was read. */
export interface FoundObject extends Omit<ObjectView, 'owns'> {
  /** Empty if it was not read. */
  readonly uid: string;
}

/** An object that another one made, e.g. a pod. */
export interface OwnedObject extends FoundObject {
  readonly ownerUids: readonly string[];
  /** It only stands between an object and its pods. */
  readonly isBetween: boolean;
}

/** What was read on the cluster of one destination. */
export interface MemberFindings {
  readonly objects: readonly FoundObject[];
  readonly owned: readonly OwnedObject[];
  /** What could not be read, and why; empty if all was read. */
  readonly problem: string;
  /** How many objects of the release were not read because there are too many. */
  readonly more: number;
}

/** Clusters that an error names. */
const NAMED = 10;
/** Chains of owners are short; a loop is none. */
const MOST_LEVELS = 4;

function byKindAndName(a: FoundObject, b: FoundObject): number {
  const keyOf = ({ kind, namespace, name }: FoundObject): string => `${kind}/${namespace}/${name}`;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

/** An object whose owners are several belongs to the first of them that is found, as strangers may name thousands. */
class Owned {
  readonly #byOwner = new Map<string, OwnedObject[]>();
  readonly #shown = new Set<OwnedObject>();

  constructor(owned: readonly OwnedObject[]) {
    for (const object of owned) {
      for (const uid of new Set(object.ownerUids)) {
        const known = this.#byOwner.get(uid);
        if (known === undefined) this.#byOwner.set(uid, [object]);
        else known.push(object);
      }
    }
  }

  /** What an object owns, and nobody asked for yet. */
  take(uid: string): OwnedObject[] {
    const found = uid === '' ? [] : (this.#byOwner.get(uid) ?? []).filter((object) => !this.#shown.has(object));
    for (const object of found) this.#shown.add(object);
    return found.sort(byKindAndName);
  }
}

function ownedBy(uid: string, owned: Owned, level: number): ObjectView[] {
  if (level > MOST_LEVELS) return [];
  return owned
    .take(uid)
    .flatMap((object) =>
      object.isBetween ? ownedBy(object.uid, owned, level + 1) : [objectView(object, owned, level + 1)],
    );
}

function objectView(found: FoundObject, owned: Owned, level = 0): ObjectView {
  const { apiVersion, kind, namespace, name, state, message, containers, blamed, uid } = found;
  const own = { apiVersion, kind, namespace, name, state, message, containers };
  return { ...own, ...(blamed === undefined ? {} : { blamed }), owns: ownedBy(uid, owned, level) };
}

/** The objects of a release with what they own, in the order in which they were listed. Never throws. */
export function objectTree({ objects, owned }: Pick<MemberFindings, 'objects' | 'owned'>): ObjectView[] {
  const all = new Owned(owned);
  return objects.map((object) => objectView(object, all));
}

/** The tree of an Application; `found` is what was read for each destination, by its child. */
export function treeView(
  application: Application,
  destinations: readonly DestinationView[],
  found: ReadonlyMap<string, MemberFindings>,
): TreeView {
  const trees = destinations.map((destination) => {
    const { problem = '', more = 0, ...rest } = found.get(destination.child) ?? { objects: [], owned: [] };
    return { ...destination, objects: objectTree(rest), problem, more };
  });
  return { ...viewOf(application), destinations: trees, truncated: application.status?.truncated === true };
}

/** The destinations on that cluster, as the status names it; all of them without one. */
export function destinationsOn(application: Application, cluster: string | undefined): readonly DestinationView[] {
  const { destinations } = viewOf(application);
  if (cluster === undefined) return destinations;
  const shown = clusterOf(application, cluster, destinations);
  return destinations.filter((each) => each.cluster === shown);
}

/** The name in the status of a cluster that users name. */
function clusterOf({ metadata }: Application, cluster: string, destinations: readonly DestinationView[]) {
  const names = destinations.map((each) => each.cluster);
  return shownCluster(cluster, names, metadata.namespace);
}

/** Those on that cluster, or why there is none, with the clusters that there are; all of them without one. */
export function selectDestinations(
  application: Application,
  cluster: string | undefined,
): { readonly destinations: readonly DestinationView[] } | { readonly problem: string } {
  const destinations = destinationsOn(application, cluster);
  const all = destinationsOn(application, undefined);
  const shown = cluster === undefined ? undefined : clusterOf(application, cluster, all);
  if (typeof shown === 'object') return shown;
  if (cluster === undefined || destinations.length > 0) return { destinations };
  const names = [...new Set(all.map((each) => each.cluster))];
  const known = names.length === 0 ? 'it has none' : `choose one of ${listed(names, NAMED)}`;
  return { problem: `the Application has no destination on it; ${known}` };
}
