import partition from 'lodash/partition.js';
import sortBy from 'lodash/sortBy.js';
import type { InventoryEntry } from '#api/flux/common.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { KubeObject, Unstructured } from '#api/meta.js';
import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import { isCrd } from '#engine/apply/model/crd.js';
import { clusterKeys, isSameCluster } from '#engine/flux/model/cluster.js';
import { subjectOf, targetOf } from '#engine/member/model/inventory.js';
import { TerminalError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { isMap } from '#lib/plain.js';
import { listed } from '#lib/text/text.js';
import { NAME_LABEL, NAMESPACE_LABEL } from './objects.js';

/** Reason of a Kustomization that waits for objects of another one. */
export const TARGET_TAKEN = 'TargetTaken';

const MOST_NAMED = 5;

/** Longer names are no values of labels: such a Kustomization can have no objects. */
const MAX_LABEL = 63;

/** An object is that of another Kustomization of the namespace, and is left as it is. */
export class TakenError extends TerminalError {
  /** The object and its owner, in words. */
  readonly what: string;

  constructor(object: Unstructured, holder: string) {
    const what = `${subjectOf(targetOf(object))} is that of Kustomization ${holder}`;
    super(TARGET_TAKEN, whyTaken([{ what }]));
    this.what = what;
  }
}

/** Why a Kustomization waits, and the ways out. */
export function whyTaken(taken: readonly Pick<TakenError, 'what'>[]): string {
  const objects = listed(
    taken.map(({ what }) => what),
    MOST_NAMED,
  );
  return (
    `${objects}: remove each from the files of one of the two. Once the files of the other one lack it, or the other one ` +
    'is deleted, it is taken over as it is. To leave an object to the other one, annotate it here with ' +
    'kustomize.toolkit.fluxcd.io/ssa: IfNotPresent'
  );
}

/** A Kustomization as a watch brings it. */
export type Seen = KubeObject & { readonly status?: Kustomization['status'] | undefined };

function entriesOf({ status }: Pick<Seen, 'status'>): readonly InventoryEntry[] {
  return status?.inventory?.entries ?? [];
}

/** True if the inventory is for the cluster of the spec, as far as the status tells: that of earlier versions does not. */
export function isInventoryHere(kustomization: Kustomization): boolean {
  const { clusters } = kustomization.status ?? {};
  return clusters === undefined || clusterKeys(kustomization).some((key) => clusters.includes(key));
}

function claimsOf({ status }: Pick<Seen, 'status'>): readonly InventoryEntry[] {
  return status?.claims ?? [];
}

function has(entries: readonly InventoryEntry[], ids: ReadonlySet<string>): boolean {
  return entries.some(({ id }) => ids.has(id));
}

/**
 * True for two that certainly are for the same cluster. Only those of one namespace count: users can write any labels
 * and any cluster into objects of their own namespace, and need not learn the names of others.
 */
function areNeighbours(own: Kustomization, other: Kustomization): boolean {
  const [here, there] = [own.metadata, other.metadata];
  return here.namespace === there.namespace && here.name !== there.name && isSameCluster(own, other) === true;
}

/** Those that are neighbours of a Kustomization. */
export function neighboursOf(own: Kustomization, others: readonly Kustomization[]): Kustomization[] {
  return others.filter((other) => areNeighbours(own, other));
}

/** The Kustomizations that keep objects which one lets go, by the ids of these. */
export interface Keepers {
  /** Names of those that have them. */
  readonly sharers: ReadonlyMap<string, string>;
  /** Names of those that wait, and will have them. */
  readonly claimants: ReadonlyMap<string, string>;
  /**
   * Name of one that has or claims something in a container (`containerOf`): it would go with that. All claims are read
   * at the first question.
   */
  readonly inside: (container: string) => string | undefined;
}

/** The part of the ids of all objects that go with an object: those in a Namespace, or of the kind of a CRD. */
export function containerOf(object: Unstructured): string | undefined {
  if (isNamespace(object)) return `${object.metadata.name}_`;
  if (!isCrd(object)) return undefined;
  const { group, names } = { ...(isMap(object['spec']) ? object['spec'] : {}) };
  return isMap(names) ? `_${String(group)}_${String(names['kind'])}` : undefined;
}

/** By the list of entries: a status that changes has another one. */
const containers = new WeakMap<readonly InventoryEntry[], ReadonlySet<string>>();

/** All containers of these entries. A million of them take a tenth of a second: most are in that of the one before. */
function containersOf(entries: readonly InventoryEntry[]): ReadonlySet<string> {
  const known = containers.get(entries);
  if (known !== undefined) return known;
  const found = new Set<string>();
  let [namespace, kind] = ['', ''];
  for (const { id } of entries) {
    if (namespace === '' || !id.startsWith(namespace)) {
      namespace = id.slice(0, id.indexOf('_') + 1);
      found.add(namespace);
    }
    if (kind === '' || !id.endsWith(kind)) {
      kind = id.slice(Math.max(0, id.lastIndexOf('_', id.lastIndexOf('_') - 1)));
      found.add(kind);
    }
  }
  containers.set(entries, found);
  return found;
}

/** Some of the entries of a Kustomization. */
interface Part {
  readonly name: string;
  readonly entries: readonly InventoryEntry[];
}

function partsOf(
  found: readonly Kustomization[],
  entriesIn: (each: Kustomization) => readonly InventoryEntry[],
): Part[] {
  return found.map((each) => ({ name: each.metadata.name, entries: entriesIn(each) }));
}

/** The first one counts. */
function namesById(parts: readonly Part[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { name, entries } of parts) for (const { id } of entries) if (!names.has(id)) names.set(id, name);
  return names;
}

/**
 * The neighbours that stay, of those that have or claim some of these ids. Of several, one that is not suspended counts.
 */
export function keepersOf(neighbours: readonly Kustomization[], ids: ReadonlySet<string>): Keepers {
  const able = neighbours.filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined && metadata.name.length <= MAX_LABEL,
  );
  const [active, suspended] = partition(
    sortBy(able, ({ metadata }) => metadata.name),
    ({ spec }) => spec.suspend !== true,
  );
  const inOrder = [...active, ...suspended];
  // First the ids: all neighbours together may have a million of them, and mostly none of these.
  const among = (entries: readonly InventoryEntry[]): InventoryEntry[] => entries.filter(({ id }) => ids.has(id));
  const shared = partsOf(inOrder, (each) => among(entriesOf(each)));
  return {
    sharers: namesById(shared),
    claimants: namesById(partsOf(inOrder, (each) => among(claimsOf(each)))),
    inside: (container) =>
      [...shared, ...partsOf(inOrder, claimsOf)].find(({ entries }) => containersOf(entries).has(container))?.name,
  };
}

/** The Kustomizations that a pass knows of. */
export interface Known {
  readonly get: (key: string) => Kustomization | undefined;
  /** Keys of those that wait for it, by their dependencies. */
  readonly later: () => ReadonlySet<string>;
}

/** Keys of all that depend on a Kustomization, and on those, and so on, and its own. `dependants`: those that name one. */
export function laterThan(
  own: Kustomization,
  dependants: (key: string) => readonly Kustomization[],
): ReadonlySet<string> {
  const seen = new Set([keyOf(own.metadata)]);
  // A Set is iterated in the order of its values, those that come meanwhile included.
  for (const key of seen) for (const next of dependants(key)) seen.add(keyOf(next.metadata));
  return seen;
}

function isOfOneApplication(own: Kustomization, other: Kustomization): boolean {
  const uid = own.metadata.labels?.[APPLICATION_UID_LABEL];
  return uid !== undefined && other.metadata.labels?.[APPLICATION_UID_LABEL] === uid;
}

/** The key of the Kustomization that a live object says it is of; undefined: it does not say. */
export function ownerKeyOf({ metadata: { labels = {} } }: Pick<KubeObject, 'metadata'>): string | undefined {
  const [name, namespace] = [labels[NAME_LABEL], labels[NAMESPACE_LABEL]];
  return name === undefined || namespace === undefined ? undefined : keyOf({ name, namespace });
}

/** True if a Kustomization was applied by `own`, or by one that was, and so on. */
function isAppliedBy(own: Kustomization, other: Kustomization, { get }: Known): boolean {
  const seen = new Set<string>();
  let next: Kustomization | undefined = other;
  while (next !== undefined) {
    const key = ownerKeyOf(next);
    if (key === keyOf(own.metadata)) return true;
    if (key === undefined || seen.has(key)) return false;
    seen.add(key);
    next = get(key);
  }
  return false;
}

/** Reasons of results in which all objects were applied. */
export const APPLIED: ReadonlySet<string> = new Set(['ReconciliationSucceeded', 'PruneFailed', 'HealthCheckFailed']);

/**
 * After a restore without a status, nobody knows what it has until it has applied all of it: an attempt that failed may
 * have listed a part.
 */
function neverApplied({ status }: Kustomization): boolean {
  const { lastAppliedRevision, history = [] } = status ?? {};
  return lastAppliedRevision === undefined && !history.some((each) => APPLIED.has(each.lastReconciledStatus));
}

function isNamespace({ apiVersion, kind }: Unstructured): boolean {
  return apiVersion === 'v1' && kind === 'Namespace';
}

/**
 * The name of the Kustomization that keeps a live object from another one to which it is new; undefined: nobody does.
 * Many sources have one Namespace, and nobody waits for it. The children of one Application wait for nobody: it orders
 * them. Nobody waits for one that waits for it in turn, or that it would have to delete first.
 */
export function holderOf(
  own: Kustomization,
  { live, id }: { readonly live: Unstructured; readonly id: string },
  known: Known,
): string | undefined {
  const key = ownerKeyOf(live);
  if (key === undefined || isNamespace(live)) return undefined;
  const other = known.get(key);
  if (other === undefined || !areNeighbours(own, other) || isOfOneApplication(own, other)) return undefined;
  if (!neverApplied(other) && !has(entriesOf(other), new Set([id]))) return undefined;
  return isAppliedBy(own, other, known) || known.later().has(key) ? undefined : other.metadata.name;
}

/** True if the other one applies or claims one of these. */
export function isConcerned(other: Pick<Seen, 'status'>, ids: ReadonlySet<string>): boolean {
  return has(entriesOf(other), ids) || has(claimsOf(other), ids);
}

/** True if the other one waits for one of these. */
export function claims(other: Pick<Seen, 'status'>, ids: ReadonlySet<string>): boolean {
  return has(claimsOf(other), ids);
}

/** Ids of what a Kustomization had before a change, and has no more; all of them, once it is gone. */
export function leftIds(before: Seen | undefined, now: Seen | undefined): string[] {
  if (before === undefined || before.status?.inventory === now?.status?.inventory) return [];
  const still = new Set(now === undefined ? [] : entriesOf(now).map(({ id }) => id));
  return entriesOf(before).flatMap(({ id }) => (still.has(id) ? [] : [id]));
}
