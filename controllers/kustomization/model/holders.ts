import sortBy from 'lodash/sortBy.js';
import type { Kustomization, KustomizationStatus } from '#api/flux/kustomization.js';
import type { KubeObject, Unstructured } from '#api/meta.js';
import { isSameCluster } from '#engine/flux/model/cluster.js';
import { subjectOf, targetOf } from '#engine/member/model/inventory.js';
import { TerminalError } from '#lib/errors.js';
import { isTrue } from '#lib/kube/conditions.js';
import { keyOf } from '#lib/kube/keys.js';
import { listed } from '#lib/text/text.js';
import { NAME_LABEL, NAMESPACE_LABEL } from './objects.js';

/** Reason of a Kustomization that waits for objects of another one. */
export const TARGET_TAKEN = 'TargetTaken';

const MOST_NAMED = 5;

/** An object is that of another Kustomization of the namespace, and so is left as it is. */
export class TakenError extends TerminalError {
  readonly object: Unstructured;
  /** Name of the other Kustomization. */
  readonly holder: string;

  constructor(object: Unstructured, holder: string) {
    super(TARGET_TAKEN, whyTaken([{ object, holder }]));
    this.object = object;
    this.holder = holder;
  }
}

/** Why objects are not taken, and the ways out. */
export function whyTaken(taken: readonly Pick<TakenError, 'object' | 'holder'>[]): string {
  const objects = taken.map(
    ({ object, holder }) => `${subjectOf(targetOf(object))} is that of Kustomization ${holder}`,
  );
  return (
    `the files in spec.path: ${listed(objects, MOST_NAMED)}: remove it from the files of one of the two; to take over ` +
    'all objects of the other Kustomization, set spec.suspend: true there, and delete it; to leave an object to it, ' +
    'annotate it here with kustomize.toolkit.fluxcd.io/ssa: IfNotPresent'
  );
}

/** A Kustomization as a watch brings it. */
export type Seen = KubeObject & {
  readonly spec?: Pick<Kustomization['spec'], 'suspend'> | undefined;
  readonly status?: KustomizationStatus | undefined;
};
type NotOwned = NonNullable<KustomizationStatus['notOwned']>[number];

/** The objects that a Kustomization does not own, in one of its states. */
export function notOwnedIn({ status }: Pick<Seen, 'status'>, state: NotOwned['state']): readonly NotOwned[] {
  return (status?.notOwned ?? []).filter((each) => each.state === state);
}

const kept = new WeakMap<object, ReadonlySet<string>>();

/** Ids of the objects that a Kustomization has: it lists them, and neither waits for, skips nor leaves them. */
export function keptIds({ status }: Pick<Seen, 'status'>): ReadonlySet<string> {
  if (status === undefined) return new Set();
  const known = kept.get(status);
  if (known !== undefined) return known;
  const apart = new Set((status.notOwned ?? []).map(({ id }) => id));
  const ids = (status.inventory?.entries ?? []).map(({ id }) => id).filter((id) => !apart.has(id));
  const found = new Set(ids);
  kept.set(status, found);
  return found;
}

/** Ids of the objects that a Kustomization waits for. */
function waitedIds(kustomization: Pick<Seen, 'status'>): readonly string[] {
  return notOwnedIn(kustomization, 'Waiting').map(({ id }) => id);
}

/**
 * Another one of the same namespace. Users can write any labels and any cluster into objects of their own namespace, and
 * need not learn the names of others.
 */
function isNeighbour(own: Kustomization, other: Kustomization): boolean {
  return own.metadata.namespace === other.metadata.namespace && own.metadata.name !== other.metadata.name;
}

function isTerminating({ metadata }: Kustomization): boolean {
  return metadata.deletionTimestamp !== undefined;
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
 * True if another Kustomization, which a live object says it is of, has that object. Where both do not say which cluster
 * they are for, the label says that it is this one.
 */
export function isHolder(own: Kustomization, other: Kustomization, id: string): boolean {
  if (!isNeighbour(own, other) || isTerminating(other) || isSameCluster(own, other) === false) return false;
  return keptIds(other).has(id);
}

/** Kustomizations by the ids that they have, of those in `ids`. The first by name counts. */
function byId(
  others: readonly Kustomization[],
  ids: ReadonlySet<string>,
  idsOf: (other: Kustomization) => Iterable<string>,
): ReadonlyMap<string, string> {
  const found = sortBy(others, ({ metadata }) => metadata.name).reverse();
  return new Map(
    found.flatMap((other) =>
      [...idsOf(other)].filter((id) => ids.has(id)).map((id) => [id, other.metadata.name] as const),
    ),
  );
}

/**
 * Names by those in `ids` that another Kustomization which stays has as well, on the same cluster. Where both do not say
 * which cluster that is, it counts as another one: many clusters have the same objects.
 */
export function sharersOf(
  own: Kustomization,
  others: readonly Kustomization[],
  ids: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const possible = others.filter(
    (other) => isNeighbour(own, other) && !isTerminating(other) && isSameCluster(own, other) === true,
  );
  return byId(possible, ids, keptIds);
}

/** Names by those in `ids` that another Kustomization waits for: it saw on its cluster that they are of this one. */
export function waitersOf(
  own: Kustomization,
  others: readonly Kustomization[],
  ids: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const possible = others.filter(
    (other) => isNeighbour(own, other) && !isTerminating(other) && isSameCluster(own, other) !== false,
  );
  return byId(possible, ids, waitedIds);
}

/** True if the status of a Kustomization names one of these, in whatever state. */
export function mentions({ status }: Pick<Seen, 'status'>, ids: ReadonlySet<string>): boolean {
  return [...(status?.inventory?.entries ?? []), ...(status?.notOwned ?? [])].some(({ id }) => ids.has(id));
}

/** Ids of what a Kustomization has or waits for, if that is so only now, or no longer, or is applied for the first time. */
export function changedIds(before: Seen | undefined, now: Seen | undefined): string[] {
  const [was, is] = [before, now].map((each) => new Set(each && [...keptIds(each), ...waitedIds(each)]));
  const gone = [...(was ?? [])].filter((id) => is?.has(id) !== true);
  const isApplied = now !== undefined && isTrue(now.status?.conditions, 'Ready');
  const isNews = isApplied && !isTrue(before?.status?.conditions, 'Ready');
  const come = [...(is ?? [])].filter((id) => isNews || was?.has(id) !== true);
  return [...gone, ...come];
}

/** Ids that a Kustomization had, and that others may take from now on. */
export function releasedIds(before: Seen, now: Seen | undefined): ReadonlySet<string> {
  const had = keptIds(before);
  if (now === undefined || now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp) return had;
  const has = keptIds(now);
  return new Set([...had].filter((id) => !has.has(id)));
}
