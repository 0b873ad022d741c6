import sortBy from 'lodash/sortBy.js';
import type { InventoryEntry } from '#api/flux/common.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { KubeObject, Unstructured } from '#api/meta.js';
import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import { isSameCluster } from '#engine/flux/model/cluster.js';
import { staleEntries, subjectOf, targetOf } from '#engine/member/model/inventory.js';
import { TerminalError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { listed } from '#lib/text/text.js';
import { NAME_LABEL, NAMESPACE_LABEL } from './objects.js';

/** Reason of a Kustomization that waits for objects of another one. */
export const TARGET_TAKEN = 'TargetTaken';

const MOST_NAMED = 5;

/** An object is that of another Kustomization, and so is left as it is. */
export class TakenError extends TerminalError {
  readonly object: Unstructured;
  /** The other Kustomization, in words. */
  readonly holder: string;

  constructor(object: Unstructured, holder: string) {
    super(TARGET_TAKEN, whyTaken([{ object, holder }]));
    this.object = object;
    this.holder = holder;
  }
}

/** Why objects are not taken, and the ways out. */
export function whyTaken(taken: readonly Pick<TakenError, 'object' | 'holder'>[]): string {
  const objects = taken.map(({ object, holder }) => `${subjectOf(targetOf(object))} is that of ${holder}`);
  return (
    `${listed(objects, MOST_NAMED)}: remove it from one of the two sources; to take over all objects of the other ` +
    'Kustomization, set spec.suspend: true there, and delete it; to leave an object to it, annotate it here with ' +
    'kustomize.toolkit.fluxcd.io/ssa: IfNotPresent'
  );
}

function isOther(own: Kustomization, other: Kustomization): boolean {
  return keyOf(own.metadata) !== keyOf(other.metadata);
}

/** Both are of one Application, which says itself what moves from one to the other. */
function isSibling(own: Kustomization, other: Kustomization): boolean {
  const [uid, otherUid] = [own, other].map(({ metadata }) => metadata.labels?.[APPLICATION_UID_LABEL]);
  return uid !== undefined && uid === otherUid && own.metadata.namespace === other.metadata.namespace;
}

/** Another Kustomization, in words. Users need not learn the names that another namespace has. */
export function nameOf(own: Kustomization, { metadata: { name, namespace } }: Pick<Kustomization, 'metadata'>): string {
  return namespace === own.metadata.namespace ? `Kustomization ${name}` : 'another Kustomization in another namespace';
}

/** The key of the Kustomization that a live object says it is of; undefined: it does not say. */
export function ownerKeyOf({ metadata: { labels = {} } }: Pick<Unstructured, 'metadata'>): string | undefined {
  const [name, namespace] = [labels[NAME_LABEL], labels[NAMESPACE_LABEL]];
  return name === undefined || namespace === undefined ? undefined : keyOf({ name, namespace });
}

/** Many sources have one Namespace: nobody waits for it, and it is not pruned while another one lists it. */
export function isCommon({ apiVersion, kind }: Pick<Unstructured, 'apiVersion' | 'kind'>): boolean {
  return apiVersion === 'v1' && kind === 'Namespace';
}

/**
 * True if another Kustomization, which a live object says it is of, keeps that object from `own`. One without an
 * inventory may have it, as after the restore of a backup; one whose inventory lacks it has let go.
 */
export function isHolder(own: Kustomization, other: Kustomization, id: string): boolean {
  if (!isOther(own, other) || isSibling(own, other) || isSameCluster(own, other) === false) return false;
  const { inventory } = other.status ?? {};
  return inventory === undefined || inventory.entries.some((entry) => entry.id === id);
}

/** Kustomizations by the ids that they have, in words, of those in `ids`. The first by name counts. */
function byId(
  own: Kustomization,
  others: readonly Kustomization[],
  find: { readonly ids: ReadonlySet<string>; readonly entriesOf: (other: Kustomization) => readonly InventoryEntry[] },
): ReadonlyMap<string, string> {
  const found = others.flatMap((other) => {
    const entries = find.entriesOf(other).filter(({ id }) => find.ids.has(id));
    return entries.map(({ id }) => ({ id, key: keyOf(other.metadata), name: nameOf(own, other) }));
  });
  return new Map(
    sortBy(found, 'key')
      .map(({ id, name }) => [id, name] as const)
      .reverse(),
  );
}

const inventoryOf = ({ status }: Pick<Kustomization, 'status'>): readonly InventoryEntry[] =>
  status?.inventory?.entries ?? [];

/** Those in `ids` that another Kustomization may have on the cluster. */
export function candidatesOf(
  own: Kustomization,
  others: readonly Kustomization[],
  ids: ReadonlySet<string>,
): ReadonlySet<string> {
  const possible = others.filter(
    (other) => isOther(own, other) && !isSibling(own, other) && isSameCluster(own, other) !== false,
  );
  return new Set(possible.flatMap((other) => inventoryOf(other).flatMap(({ id }) => (ids.has(id) ? [id] : []))));
}

/**
 * Those in `ids` that another Kustomization which stays lists as well, on the same cluster. Where both do not say which
 * cluster that is, it counts as another one: many clusters have the same objects.
 */
export function sharersOf(
  own: Kustomization,
  others: readonly Kustomization[],
  ids: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const possible = others.filter(
    (other) =>
      isOther(own, other) && other.metadata.deletionTimestamp === undefined && isSameCluster(own, other) === true,
  );
  return byId(own, possible, { ids, entriesOf: inventoryOf });
}

/** Those in `ids` that another Kustomization waits for: it saw on its cluster that they are not its own. */
export function waitersOf(
  own: Kustomization,
  others: readonly Kustomization[],
  ids: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const possible = others.filter(
    (other) =>
      isOther(own, other) && other.metadata.deletionTimestamp === undefined && isSameCluster(own, other) !== false,
  );
  return byId(own, possible, { ids, entriesOf: ({ status }) => status?.waitingFor ?? [] });
}

type WithStatus = KubeObject & Pick<Kustomization, 'status'>;

/** Ids that a Kustomization has let go. */
export function releasedIds(before: WithStatus, now: WithStatus | undefined): string[] {
  return staleEntries(inventoryOf(before), now === undefined ? [] : inventoryOf(now)).map(({ id }) => id);
}
