import pLimit from 'p-limit';
import uniq from 'lodash/uniq.js';
import type { InventoryEntry } from '#api/flux/common.js';
import { kustomizationResource, type Kustomization } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { clusterKeys } from '#engine/flux/model/cluster.js';
import { refusalOf } from '#engine/flux/model/refusal.js';
import { readLive, type ClusterContext } from '#engine/flux/objects.js';
import { apiStatusOf } from '#lib/errors.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import type { Change, IndexFunction } from '#runtime/controller.js';
import {
  contested,
  keepersOf,
  leftIds,
  neighboursOf,
  ownerKeyOf,
  wants,
  type Contested,
  type Seen,
} from './model/neighbours.js';
import type { Synchronization } from './model/types.js';
import type { Pass } from './pass.js';
import type { SyncPass } from './prepare.js';

const PARALLEL = 8;

type Index = Pick<Pass['kustomizations'], 'byIndex'>;

/** Index of Kustomizations by namespace and cluster. */
export const BY_CLUSTER = 'kustomization.cluster';

/** The values of a Kustomization in that index. */
export const clustersOf: IndexFunction<Kustomization> = (kustomization) =>
  clusterKeys(kustomization).map((key) => `${kustomization.metadata.namespace ?? ''} ${key}`);

/** The others of the namespace that certainly are for the same cluster. */
export function neighboursIn(kustomizations: Index, own: Kustomization): Kustomization[] {
  const found = clustersOf(own).flatMap((value) => kustomizations.byIndex(BY_CLUSTER, value));
  return neighboursOf(own, uniq(found));
}

/** Those that have, or wait for, what a change of another one leaves. */
export function affectedBy(kustomizations: Index, { type, object, previous }: Change<Kustomization>): Kustomization[] {
  const [before, now]: (Seen | undefined)[] = type === 'deleted' ? [object, undefined] : [previous, object];
  const left = new Set(leftIds(before, now));
  if (left.size === 0) return [];
  return neighboursIn(kustomizations, object).filter((other) => wants(other, left));
}

/** Throws the refusal of the server to somebody who may not change the object: then waiting for it keeps nothing. */
async function requireRights(context: ClusterContext, object: Unstructured): Promise<void> {
  const { member, fieldManager, signal } = context;
  const type = await member.resourceType(object.apiVersion, object.kind, { signal });
  try {
    await member.kube.apply(type, object, { fieldManager, force: true, signal, dryRun: true });
  } catch (error: unknown) {
    if ([401, 403].includes(apiStatusOf(error)?.code ?? 0)) throw refusalOf(error, object);
    // What else is wrong with it is found when it is applied.
    if (apiStatusOf(error) === undefined) throw error;
  }
}

/** True if the live object is that of the one that lists it. */
async function isTaken(context: ClusterContext, { object, holder }: Contested): Promise<boolean> {
  const live = await readLive(context, object);
  if (live === undefined || ownerKeyOf(live) !== keyOf(holder.metadata)) return false;
  await requireRights(context, object);
  return true;
}

/**
 * The objects that are new to a Kustomization, and that another one has: the two would overwrite each other, and the end
 * of one would be the end of the object. What both have applied before, both go on to apply.
 */
export async function findTaken({ objects }: Synchronization, pass: SyncPass): Promise<Contested[]> {
  const { context, kustomization, kustomizations } = pass;
  const neighbours = neighboursIn(kustomizations, kustomization);
  const get = (key: string): Kustomization | undefined => kustomizations.get(parseKey(key));
  const possible = contested(kustomization, { objects, neighbours, get });
  const limit = pLimit(PARALLEL);
  const found = await Promise.all(
    possible.map((each) => limit(async () => ((await isTaken(context, each)) ? [each] : []))),
  );
  return found.flat();
}

/** What lets objects go that others may have. */
type Letting = Pick<Pass, 'kube' | 'kustomization' | 'kustomizations' | 'signal' | 'turns'>;

function sharersOf({ kustomization, kustomizations }: Letting, entries: readonly InventoryEntry[]): Kustomization[] {
  if (entries.length === 0) return [];
  const ids = new Set(entries.map(({ id }) => id));
  return neighboursIn(kustomizations, kustomization).filter((other) => wants(other, ids));
}

/** The names of others that stay, by the ids of what they have or wait for, as they are cached. */
export function keepersIn(pass: Letting, entries: readonly InventoryEntry[]): ReadonlyMap<string, string> {
  return keepersOf(sharersOf(pass, entries), new Set(entries.map(({ id }) => id)));
}

/**
 * Lets objects go. Those that have some of them too do so one after the other, and each asks the API server what the
 * others have then: two that let go one object at the same time would leave it to each other.
 */
export async function inTurn<Out>(
  pass: Letting,
  entries: readonly InventoryEntry[],
  work: (keepers: ReadonlyMap<string, string>, areOthers: boolean) => Promise<Out>,
): Promise<Out> {
  const sharers = sharersOf(pass, entries);
  if (sharers.length === 0) return work(new Map(), false);
  const { kube, kustomization, signal, turns } = pass;
  return turns.run(kustomization.metadata.namespace ?? '', async () => {
    const asked = sharers.map(({ metadata }) => kube.get<Kustomization>(kustomizationResource, metadata, { signal }));
    const live = (await Promise.all(asked)).filter((other) => other !== undefined);
    const keepers = keepersOf(neighboursOf(kustomization, live), new Set(entries.map(({ id }) => id)));
    return work(keepers, true);
  });
}
