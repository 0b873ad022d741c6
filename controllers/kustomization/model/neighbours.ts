import sortBy from 'lodash/sortBy.js';
import type { InventoryEntry } from '#api/flux/common.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { KubeObject, Unstructured } from '#api/meta.js';
import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import { dependencyKeys } from '#engine/flux/dependencies.js';
import { isSameCluster } from '#engine/flux/model/cluster.js';
import { inventoryEntry, subjectOf, targetOf } from '#engine/member/model/inventory.js';
import { keyOf } from '#lib/kube/keys.js';
import { listed } from '#lib/text/text.js';
import { isIgnored, isOnlyCreated, NAME_LABEL, NAMESPACE_LABEL } from './objects.js';

/** Reason of a Kustomization that waits for objects of another one. */
export const TARGET_TAKEN = 'TargetTaken';

const MOST_NAMED = 5;

/** A Kustomization as a watch brings it. */
export type Seen = KubeObject & { readonly status?: Kustomization['status'] | undefined };

/** Ids of the objects that a Kustomization has. */
export function listedIds({ status }: Pick<Seen, 'status'>): string[] {
  return (status?.inventory?.entries ?? []).map(({ id }) => id);
}

/**
 * The objects that a Kustomization has, and those that it waits for or waited for: when another one lets these go, they
 * become its own.
 */
export function wantedEntries({ status }: Pick<Seen, 'status'>): InventoryEntry[] {
  return [...(status?.inventory?.entries ?? []), ...(status?.takenByOthers ?? [])];
}

/**
 * Those among `others` that certainly are for the same cluster. Only those of the same namespace count: users can write
 * any labels and any cluster into objects of their own namespace, and need not learn the names of others.
 */
export function neighboursOf(own: Kustomization, others: readonly Kustomization[]): Kustomization[] {
  const { name, namespace } = own.metadata;
  const found = others.filter(
    (other) =>
      other.metadata.namespace === namespace && other.metadata.name !== name && isSameCluster(own, other) === true,
  );
  return sortBy(found, ({ metadata }) => metadata.name);
}

/** Names of the neighbours that stay, by the ids that they have or wait for, of those in `ids`. */
export function keepersOf(neighbours: readonly Kustomization[], ids: ReadonlySet<string>): ReadonlyMap<string, string> {
  const staying = neighbours.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const found = staying.flatMap((other) =>
    wantedEntries(other).flatMap(({ id }): [string, string][] => (ids.has(id) ? [[id, other.metadata.name]] : [])),
  );
  // The first one counts.
  return new Map(found.reverse());
}

function isOfOneApplication(own: Kustomization, other: Kustomization): boolean {
  const uid = own.metadata.labels?.[APPLICATION_UID_LABEL];
  return uid !== undefined && other.metadata.labels?.[APPLICATION_UID_LABEL] === uid;
}

type Get = (key: string) => Kustomization | undefined;

/** True if `later` waits for `first`, by its dependencies or by theirs. */
function dependsOn(later: Kustomization, first: string, get: Get): boolean {
  const seen = new Set(dependencyKeys(later));
  // A Set is iterated in the order of its values, those that come meanwhile included.
  for (const key of seen) {
    if (key === first) return true;
    const next = get(key);
    if (next !== undefined) for (const each of dependencyKeys(next)) seen.add(each);
  }
  return false;
}

/** Many sources have one Namespace: nobody waits for it. */
function isCommon({ apiVersion, kind }: Unstructured): boolean {
  return apiVersion === 'v1' && kind === 'Namespace';
}

/** An object that a neighbour may have. */
export interface Contested {
  readonly object: Unstructured;
  readonly holder: Kustomization;
}

/**
 * The objects that are new to a Kustomization, and that neighbours have, or get once the one before lets go. The children of one Application wait for
 * nobody: it orders them. Nobody waits for one that depends on it: both would wait for ever.
 */
export function contested(
  own: Kustomization,
  { objects, neighbours, get }: { objects: readonly Unstructured[]; neighbours: readonly Kustomization[]; get: Get },
): Contested[] {
  const known = new Set(listedIds(own));
  const arriving = new Map(
    objects
      .filter((object) => !isIgnored(object) && !isOnlyCreated(object) && !isCommon(object))
      .map((object): [string, Unstructured] => [inventoryEntry(object).id, object])
      .filter(([id]) => !known.has(id)),
  );
  if (arriving.size === 0) return [];
  const holders = neighbours.filter(
    (other) => !isOfOneApplication(own, other) && !dependsOn(other, keyOf(own.metadata), get),
  );
  return holders.flatMap((holder) =>
    wantedEntries(holder).flatMap(({ id }) => {
      const object = arriving.get(id);
      return object === undefined ? [] : [{ object, holder }];
    }),
  );
}

/** The key of the Kustomization that a live object says it is of; undefined: it does not say. */
export function ownerKeyOf({ metadata: { labels = {} } }: Pick<KubeObject, 'metadata'>): string | undefined {
  const [name, namespace] = [labels[NAME_LABEL], labels[NAMESPACE_LABEL]];
  return name === undefined || namespace === undefined ? undefined : keyOf({ name, namespace });
}

/** Why a Kustomization waits, and the ways out. */
export function whyTaken(taken: readonly Contested[]): string {
  const objects = taken.map(
    ({ object, holder }) => `${subjectOf(targetOf(object))} is that of Kustomization ${holder.metadata.name}`,
  );
  return (
    `spec.path: ${listed(objects, MOST_NAMED)}: remove each from the files of one of the two; once it is removed from ` +
    'the files of the other one, or that one is deleted, it is taken over as it is; to leave an object to the other ' +
    'one, annotate it here with kustomize.toolkit.fluxcd.io/ssa: IfNotPresent'
  );
}

/** Ids of what a Kustomization had before a change, and has no more; all of them, once it is gone. */
export function leftIds(before: Seen | undefined, now: Seen | undefined): string[] {
  if (before === undefined || before.status?.inventory === now?.status?.inventory) return [];
  const still = new Set(now === undefined ? [] : listedIds(now));
  return listedIds(before).filter((id) => !still.has(id));
}

/** True for one that has or waits for one of these. */
export function wants(kustomization: Pick<Seen, 'status'>, ids: ReadonlySet<string>): boolean {
  return wantedEntries(kustomization).some(({ id }) => ids.has(id));
}
