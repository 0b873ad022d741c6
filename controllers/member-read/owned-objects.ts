import { podResource } from '#api/core.js';
import type { KubeObject, ResourceType, Unstructured } from '#api/meta.js';
import { podCause } from '../engine/health/pod-cause.js';
import type { Kube } from '../runtime/kube.js';
import type { OwnedObject } from '../read-model/tree-view.js';
import { podPart, stateOf } from './object-states.js';
import { MOST_LISTED, pagesOf, type Listing } from './pages.js';

/** Stand between an object and its pods. */
const BETWEEN: readonly ResourceType[] = [
  { group: 'apps', version: 'v1', kind: 'ReplicaSet', plural: 'replicasets', namespaced: true },
  { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true },
];

/** What was found, and which lists ended early. */
export interface OwnedObjects {
  readonly owned: readonly OwnedObject[];
  readonly problems: readonly string[];
}

function ownersOf({ metadata }: KubeObject): string[] {
  return (metadata.ownerReferences ?? []).map(({ uid }) => uid);
}

function ownedObject(object: Unstructured, isBetween: boolean): OwnedObject {
  const { apiVersion, kind, metadata } = object;
  const { state, message } = isBetween ? { state: 'Unknown', message: '' } : stateOf(object);
  const cause = isBetween || state === 'Ready' ? undefined : podCause(object, Date.now());
  const { name, namespace = '', uid = '' } = metadata;
  const owner = { ownerUids: ownersOf(object), isBetween, ...podPart(object, state) };
  return { apiVersion, kind, namespace, name, uid, state, message: cause ?? message, ...owner };
}

/** The objects of one list that these own, directly or not; adds them to `owners`. */
async function ownedIn(listing: Listing, owners: Set<string>): Promise<{ owned: OwnedObject[]; isCut: boolean }> {
  const owned: OwnedObject[] = [];
  const isBetween = listing.query.metadataOnly === true;
  const pages = pagesOf<Unstructured>(listing);
  for (let page = await pages.next(); ; page = await pages.next()) {
    if (page.done === true) return { owned, isCut: page.value };
    for (const object of page.value) {
      if (!ownersOf(object).some((uid) => owners.has(uid))) continue;
      owned.push(ownedObject(object, isBetween));
      if (isBetween && object.metadata.uid !== undefined) owners.add(object.metadata.uid);
    }
  }
}

/** What objects with these UIDs own in a namespace: pods, and what stands between. Throws what the client throws. */
export async function ownedObjects(
  kube: Kube,
  { namespace, uids }: { readonly namespace: string; readonly uids: readonly string[] },
  signal: AbortSignal,
): Promise<OwnedObjects> {
  const owners = new Set(uids);
  const found: OwnedObject[] = [];
  const problems: string[] = [];
  // Pods last: their owners have to be known.
  for (const type of [...BETWEEN, podResource]) {
    const query = { namespace, signal, metadataOnly: type !== podResource };
    const { owned, isCut } = await ownedIn({ kube, type, query }, owners);
    found.push(...owned);
    if (isCut) problems.push(`namespace ${namespace} has more than ${MOST_LISTED} ${type.plural}: some are missing`);
  }
  return { owned: found, problems };
}
