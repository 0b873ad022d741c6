import once from 'lodash/once.js';
import uniq from 'lodash/uniq.js';
import type { InventoryEntry } from '#api/flux/common.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { dependencyKeys } from '#engine/flux/dependencies.js';
import { clusterKeys } from '#engine/flux/model/cluster.js';
import { inventoryEntry } from '#engine/member/model/inventory.js';
import { parseKey } from '#lib/kube/keys.js';
import type { Change, IndexFunction } from '#runtime/controller.js';
import {
  claims,
  holderOf,
  isConcerned,
  isInventoryHere,
  keepersOf,
  laterThan,
  leftIds,
  neighboursOf,
  type Keepers,
  type Seen,
} from './model/neighbours.js';
import type { Pass } from './pass.js';

type Index = Pick<Pass['kustomizations'], 'byIndex'>;

const BY_CLUSTER = 'kustomization.cluster';
/** Index by the Kustomizations that others depend on. */
export const BY_DEPENDENCY = 'kustomization.dependency';

const clustersOf: IndexFunction<Kustomization> = (kustomization) =>
  clusterKeys(kustomization).map((key) => `${kustomization.metadata.namespace ?? ''} ${key}`);

/** How Kustomizations find others. */
export const NEIGHBOUR_INDEXES: Readonly<Record<string, IndexFunction<Kustomization>>> = {
  [BY_CLUSTER]: clustersOf,
  [BY_DEPENDENCY]: dependencyKeys,
};

/** The others of the namespace that certainly are for the same cluster. */
function neighboursIn(kustomizations: Index, own: Kustomization): Kustomization[] {
  const found = clustersOf(own).flatMap((value) => kustomizations.byIndex(BY_CLUSTER, value));
  return neighboursOf(own, uniq(found));
}

/** Those that wait for what a change of another one leaves to them. */
export function affectedBy(kustomizations: Index, { type, object, previous }: Change<Kustomization>): Kustomization[] {
  const [before, now]: (Seen | undefined)[] = type === 'deleted' ? [object, undefined] : [previous, object];
  const left = new Set(leftIds(before, now));
  if (left.size === 0) return [];
  return neighboursIn(kustomizations, object).filter((other) => claims(other, left));
}

/** Names the Kustomization that keeps a live object from this one; undefined: nobody does. */
export type HolderOf = (live: Unstructured) => string | undefined;

/** Tells who keeps new objects from a Kustomization. Those it has already it keeps: both have applied them so far. */
export function holdersFor({
  kustomization,
  kustomizations,
}: Pick<Pass, 'kustomization' | 'kustomizations'>): HolderOf {
  const had = isInventoryHere(kustomization) ? (kustomization.status?.inventory?.entries ?? []) : [];
  const own = new Set(had.map(({ id }) => id));
  const known = {
    get: (key: string) => kustomizations.get(parseKey(key)),
    later: once(() => laterThan(kustomization, (key) => kustomizations.byIndex(BY_DEPENDENCY, key))),
  };
  return (live) => {
    const { id } = inventoryEntry(live);
    return own.has(id) ? undefined : holderOf(kustomization, { live, id }, known);
  };
}

type Letting = Pick<Pass, 'kustomization' | 'kustomizations' | 'turns'>;

function idsOf(entries: readonly InventoryEntry[]): ReadonlySet<string> {
  return new Set(entries.map(({ id }) => id));
}

/** Tells who keeps objects that a Kustomization lets go, as things are whenever it is asked. */
export function keepersIn(
  { kustomization, kustomizations }: Pick<Letting, 'kustomization' | 'kustomizations'>,
  entries: readonly InventoryEntry[],
): () => Keepers {
  const ids = idsOf(entries);
  let seen: readonly Kustomization[] = [];
  let keepers = keepersOf([], ids);
  return () => {
    const neighbours = entries.length === 0 ? [] : neighboursIn(kustomizations, kustomization);
    const isSame = neighbours.length === seen.length && neighbours.every((each, index) => each === seen[index]);
    if (!isSame) [seen, keepers] = [neighbours, keepersOf(neighbours, ids)];
    return keepers;
  };
}

/** True if others have, or wait for, some of these. */
export function haveOthers(
  { kustomization, kustomizations }: Omit<Letting, 'turns'>,
  entries: readonly InventoryEntry[],
): boolean {
  const ids = idsOf(entries);
  return ids.size > 0 && neighboursIn(kustomizations, kustomization).some((each) => isConcerned(each, ids));
}

/**
 * Lets objects go. Those that have some of them too do so one after the other: two that let go one object at the same
 * time would leave it to each other.
 */
export async function inTurn<Out>(
  pass: Letting,
  entries: readonly InventoryEntry[],
  work: () => Promise<Out>,
): Promise<Out> {
  if (!haveOthers(pass, entries)) return work();
  return pass.turns.run(pass.kustomization.metadata.namespace ?? '', work);
}
