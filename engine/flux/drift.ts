import uniqBy from 'lodash/uniqBy.js';
import type { InventoryEntry } from '#api/flux/common.js';
import type { ResourceType, Unstructured } from '#api/meta.js';
import { parseInventoryEntry } from '../member/model/inventory.js';
import type { ApplyRequest } from '../apply/types.js';
import type { Ignored } from '../drift/compare-object.js';
import { correctDrift, detectDrift, type Drift } from '../drift/drift.js';
import type { Interest, ManagedWatches } from '../watch/managed-watches.js';
import { type ClusterContext, failuresText, refuseInterruption } from './objects.js';
import { isUnknownKind } from '../member/member-failure.js';
import type { ApplyingDeps } from './deps.js';
import { serviceAccountOf } from './model/cluster.js';
import type { Applying, Correction } from './model/types.js';

function requestFor({ member, fieldManager, namespace, signal }: ClusterContext): Omit<ApplyRequest, 'objects'> {
  return { member, fieldManager, defaultNamespace: namespace, signal };
}

/** The differences between live and desired objects. */
export interface ObservedDrift {
  readonly drifts: readonly Drift[];
  /** Objects that could not be compared, and why. */
  readonly problem: string | undefined;
}

/** Compares live objects with desired ones. Writes nothing. Throws what ends the reconciliation. */
export async function observeDrift(
  context: ClusterContext,
  objects: readonly Unstructured[],
  ignored: Ignored,
): Promise<ObservedDrift> {
  const { drifts, failures } = await detectDrift({ ...requestFor(context), objects }, ignored);
  refuseInterruption(failures);
  return { drifts, problem: failures.length === 0 ? undefined : failuresText(failures) };
}

/** Applies the objects that drifted. Throws what ends the reconciliation. */
export async function correctObjects(
  context: ClusterContext,
  drifts: readonly Drift[],
  ignored: Ignored,
): Promise<Correction> {
  const { changes, failures } = await correctDrift(requestFor(context), drifts, ignored);
  refuseInterruption(failures);
  const done = changes
    .filter(({ action }) => action !== 'unchanged')
    .map(({ subject, action }) => `${subject} ${action}`);
  return { done, problem: failures.length === 0 ? undefined : failuresText(failures) };
}

async function typesOf(
  { member, signal }: ClusterContext,
  entries: readonly InventoryEntry[],
): Promise<ResourceType[]> {
  const targets = entries.flatMap((entry) => parseInventoryEntry(entry) ?? []);
  const kinds = uniqBy(targets, ({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  const types = kinds.map(async ({ apiVersion, kind }) => {
    try {
      return [await member.resourceType(apiVersion, kind, { signal })];
    } catch (error: unknown) {
      if (!isUnknownKind(error)) throw error;
      return [];
    }
  });
  return (await Promise.all(types)).flat();
}

/**
 * The watches that report changes of what an object applied; undefined without any. A watch covers all namespaces, which
 * a tenant's account may not read: its drift is noticed at the interval.
 */
export function watchesFor(
  { managed, settings }: Pick<ApplyingDeps, 'managed' | 'settings'>,
  object: Applying,
): ManagedWatches | undefined {
  return serviceAccountOf(object, settings.defaultServiceAccount) === undefined ? managed : undefined;
}

/**
 * Watches the kinds of an inventory for its owner. True when a watch is new to the owner: it reports no earlier change.
 */
export async function watchInventory(
  context: ClusterContext,
  managed: ManagedWatches,
  {
    owner,
    entries,
    onlyDeletions = false,
  }: Interest & { readonly owner: string; readonly entries: readonly InventoryEntry[] },
): Promise<boolean> {
  return managed.keep(owner, context.member, await typesOf(context, entries), { onlyDeletions });
}
