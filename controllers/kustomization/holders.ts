import memoize from 'lodash/memoize.js';
import uniq from 'lodash/uniq.js';
import { kustomizationResource, type Kustomization } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { clusterKeys } from '#engine/flux/model/cluster.js';
import { inventoryEntry } from '#engine/member/model/inventory.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import type { Change, IndexFunction } from '#runtime/controller.js';
import {
  changedIds,
  isCommon,
  isHolder,
  keptIds,
  mentions,
  notOwnedIn,
  ownerKeyOf,
  releasedIds,
  type Seen,
  sharersOf,
  waitersOf,
} from './model/holders.js';
import { holderKeys, mayWaitFor } from './model/waits.js';
import type { Pass } from './pass.js';

/** Names the Kustomization that has a live object, and that this one waits for; undefined: there is none. */
export type HolderOf = (live: Unstructured) => Promise<string | undefined>;

type Reading = Pick<Pass, 'kube' | 'kustomization' | 'kustomizations' | 'signal'>;

const BY_CLUSTER = 'kustomization.cluster';
const BY_HOLDER = 'kustomization.holder';
const BY_LEAVING = 'kustomization.leaving';
/** Every one that does not own all its objects. */
const ANY = '*';

function near({ metadata: { namespace = '' } }: Pick<Seen, 'metadata'>, text: string): string {
  return `${namespace} ${text}`;
}

/** How Kustomizations are found that have the same objects. */
export const HOLDER_INDEXES: Readonly<Record<string, IndexFunction<Kustomization>>> = {
  [BY_CLUSTER]: (kustomization) => clusterKeys(kustomization).map((key) => near(kustomization, key)),
  [BY_HOLDER]: (kustomization) => holderKeys(kustomization),
  [BY_LEAVING]: (kustomization) => {
    const leaving = notOwnedIn(kustomization, 'Leaving').map(({ id }) => near(kustomization, id));
    return (kustomization.status?.notOwned ?? []).length === 0 ? [] : [ANY, ...leaving];
  },
};

type Index = Pick<Pass['kustomizations'], 'byIndex' | 'countByIndex' | 'get'>;

/** Those that wait for objects of a Kustomization. */
function waitersFor(kustomizations: Index, { metadata }: Pick<Seen, 'metadata'>): Kustomization[] {
  return kustomizations.byIndex(BY_HOLDER, keyOf(metadata));
}

/** A Kustomization that waits, or leaves objects, and that another one begins to wait for: it may let something go. */
function newHolders({ object, previous }: Change<Seen>, kustomizations: Index): Kustomization[] {
  const before = new Set(previous === undefined ? [] : holderKeys(previous));
  const come = holderKeys(object).filter((key) => !before.has(key));
  const found = come.flatMap((key) => kustomizations.get(parseKey(key)) ?? []);
  return found.filter(({ status }) => (status?.notOwned ?? []).length > 0);
}

/** Those that can go on, perhaps, after a change of another one: they waited for its objects, or left theirs to it. */
export function affectedBy(kustomizations: Index, change: Change<Seen>): Kustomization[] {
  if (kustomizations.countByIndex(BY_LEAVING, ANY) === 0) return [];
  const { type, object, previous } = change;
  const [before, now] = type === 'deleted' ? [object, undefined] : [previous, object];
  const released = before === undefined ? new Set<string>() : releasedIds(before, now);
  const waiting = released.size === 0 ? [] : waitersFor(kustomizations, object);
  const left = changedIds(before, now).flatMap((id) => kustomizations.byIndex(BY_LEAVING, near(object, id)));
  const free = waiting.filter((each) => notOwnedIn(each, 'Waiting').some(({ id }) => released.has(id)));
  return [...free, ...left, ...(now === undefined ? [] : newHolders(change, kustomizations))];
}

/** The others of the namespace that are certainly for the same cluster, as they are cached. */
export function neighboursOf({ kustomization, kustomizations }: Reading): Kustomization[] {
  const found = clusterKeys(kustomization).flatMap((key) =>
    kustomizations.byIndex(BY_CLUSTER, near(kustomization, key)),
  );
  return uniq(found).filter(({ metadata }) => metadata.name !== kustomization.metadata.name);
}

function readerOf({ kube, signal }: Reading): (key: string) => Promise<Kustomization | undefined> {
  return memoize((key: string) => kube.get<Kustomization>(kustomizationResource, parseKey(key), { signal }));
}

/**
 * Finds who has a live object that is new to this Kustomization. The API server says whether that one exists, and has
 * it; an object stays as it is as long as the server does not say. What this one has already it keeps: both have applied
 * it so far.
 */
export function holderOf(pass: Reading): HolderOf {
  const { kustomization: own, kustomizations } = pass;
  const known = keptIds(own);
  const read = readerOf(pass);
  const cached = (key: string): Kustomization | undefined => kustomizations.get(parseKey(key));
  return async (live) => {
    const { id } = inventoryEntry(live);
    const key = ownerKeyOf(live);
    if (key === undefined || known.has(id) || isCommon(live)) return undefined;
    if (key === keyOf(own.metadata) || parseKey(key).namespace !== own.metadata.namespace) return undefined;
    const other = await read(key);
    if (other === undefined || !isHolder(own, other, id)) return undefined;
    return mayWaitFor(own, other, cached) ? other.metadata.name : undefined;
  };
}

/**
 * The names of other Kustomizations, by the ids that they have or wait for, of those in `ids`: what they have stays when
 * this one lets it go. Throws if the API server does not say what they have.
 */
export async function keepersOf(pass: Reading, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const { kustomization: own, kustomizations } = pass;
  const cached = uniq([...neighboursOf(pass), ...waitersFor(kustomizations, own)]);
  // They may have taken meanwhile what they left.
  const possible = cached.filter((other) => mentions(other, ids));
  const read = readerOf(pass);
  const live = (await Promise.all(possible.map(({ metadata }) => read(keyOf(metadata))))).filter(
    (other) => other !== undefined,
  );
  return new Map([...waitersOf(own, live, ids), ...sharersOf(own, live, ids)]);
}
