import { podResource } from '#api/core.js';
import type { KubeObject, ResourceType, Unstructured } from '#api/meta.js';
import { podCause } from '#engine/health/pod-cause.js';
import type { Kube } from '#runtime/client/kube.js';
import { meaningOf } from '../views/state-meaning.js';
import type { OwnedObject } from '../views/tree-view.js';
import { podPart, stateOf } from './object-states.js';
import { cutList, MOST_LISTED, MOST_SEARCHED, pagesOf, type Listing } from './pages.js';

/** Stand between an object and its pods. */
const BETWEEN: readonly ResourceType[] = [
  { group: 'apps', version: 'v1', kind: 'ReplicaSet', plural: 'replicasets', namespaced: true },
  { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true },
];

/** Pods that fail, of those that are not read otherwise. */
const MOST_FAILING = 500;

/** How much of a namespace is read. */
export interface Search {
  /**
   * True: of more than 3,000 pods, those that fail of the first 10,000 as well, which takes its time. Default: of the
   * first 3,000, all, and none of the others.
   */
  readonly seeksFailingPods?: boolean;
  /** Of all pods, only the one with this name. */
  readonly pod?: string;
}

interface Owners extends Search {
  readonly namespace: string;
  readonly uids: readonly string[];
}

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
  const { state, message } = isBetween ? { state: 'Unknown' as const, message: '' } : stateOf(object);
  const cause = isBetween || state === 'Ready' ? undefined : podCause(object, Date.now());
  const { name, namespace = '', uid = '' } = metadata;
  const owner = { ownerUids: ownersOf(object), isBetween, ...podPart(object, state) };
  return { apiVersion, kind, namespace, name, uid, state, message: cause ?? message, ...owner };
}

/** Of a list that goes on behind those that are read: only pods that fail, as far as the cluster answers in time. */
function isFailing({ state, blamed }: OwnedObject): boolean {
  return meaningOf(state) === 'bad' || blamed !== undefined;
}

type Pages = ReturnType<typeof pagesOf<Unstructured>>;

/** What is there is not lost because it takes too long to look for more. */
async function nextPage(pages: Pages, read: number): Promise<Awaited<ReturnType<Pages['next']>>> {
  try {
    return await pages.next();
  } catch (error: unknown) {
    if (read < MOST_LISTED) throw error;
    return { done: true, value: true };
  }
}

function isOwned(object: KubeObject, owners: ReadonlySet<string>): boolean {
  return ownersOf(object).some((uid) => owners.has(uid));
}

/** The objects of one list that these own, directly or not; adds them to `owners`. */
async function ownedIn(listing: Listing, owners: Set<string>): Promise<{ owned: OwnedObject[]; isCut: boolean }> {
  const owned: OwnedObject[] = [];
  const behind: OwnedObject[] = [];
  const isBetween = listing.query.metadataOnly === true;
  const pages = pagesOf<Unstructured>(listing);
  for (let read = 0; ;) {
    const page = await nextPage(pages, read);
    if (page.done === true) {
      return { owned: [...owned, ...behind.slice(0, MOST_FAILING)], isCut: page.value || read > MOST_LISTED };
    }
    const found = page.value.filter((each) => isOwned(each, owners)).map((each) => ownedObject(each, isBetween));
    if (read < MOST_LISTED) owned.push(...found);
    else behind.push(...found.filter(isFailing));
    read += page.value.length;
    if (isBetween) for (const { uid } of found) owners.add(uid);
  }
}

/** What objects with these UIDs own in a namespace: pods, and what stands between. Throws what the client throws. */
export async function ownedObjects(
  kube: Kube,
  { namespace, uids, seeksFailingPods = false, pod }: Owners,
  signal: AbortSignal,
): Promise<OwnedObjects> {
  const owners = new Set(uids);
  const found: OwnedObject[] = [];
  const problems: string[] = [];
  // Pods last: their owners have to be known.
  for (const type of [...BETWEEN, podResource]) {
    const isPods = type === podResource;
    const selected = isPods && pod !== undefined ? { fieldSelector: `metadata.name=${pod}` } : {};
    const query = { namespace, signal, metadataOnly: !isPods, ...selected };
    const most = isPods && seeksFailingPods ? MOST_SEARCHED : MOST_LISTED;
    const { owned, isCut } = await ownedIn({ kube, type, query, most }, owners);
    found.push(...owned);
    if (isCut) problems.push(cutList(namespace, type.plural));
  }
  return { owned: found, problems };
}
