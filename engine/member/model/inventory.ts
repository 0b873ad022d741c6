import type { InventoryEntry } from '#api/flux/common.js';
import { apiVersionOf, splitApiVersion, type KubeObject, type Unstructured } from '#api/meta.js';

/** The object in its own namespace, or in this one; in none when there is none. */
export function inNamespace(object: Unstructured, namespace: string | undefined): Unstructured {
  const { namespace: own = namespace, ...rest } = object.metadata;
  return { ...object, metadata: namespace === undefined ? rest : { ...rest, namespace: own } };
}

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** One object without its content: what prune, delete and messages work with. */
export interface ObjectTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string | undefined;
}

/** `group/Kind`; the group of core kinds is empty. */
export function groupKindOf({ apiVersion, kind }: Pick<ObjectTarget, 'apiVersion' | 'kind'>): string {
  return `${splitApiVersion(apiVersion).group}/${kind}`;
}

/** Inventory id `<namespace>_<name>_<group>_<kind>`; the colons of RBAC names become `__`, as Flux writes them. */
export function inventoryId({ apiVersion, kind, name, namespace }: ObjectTarget): string {
  const { group } = splitApiVersion(apiVersion);
  const safeName = group === RBAC_GROUP ? name.replaceAll(':', '__') : name;
  return `${namespace ?? ''}_${safeName}_${group}_${kind}`;
}

/** The target that an object stands for. */
export function targetOf({ apiVersion, kind, metadata }: KubeObject): ObjectTarget {
  return { apiVersion, kind, name: metadata.name, namespace: metadata.namespace };
}

/** `Kind/namespace/name`, or `Kind/name` for a cluster-scoped object: how messages name an object. */
export function subjectOf({ kind, name, namespace }: ObjectTarget): string {
  return namespace === undefined || namespace === '' ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

/** Flux's inventory entry of an object; its namespace must be set when it is namespaced. */
export function inventoryEntry(object: KubeObject): InventoryEntry {
  return { id: inventoryId(targetOf(object)), v: splitApiVersion(object.apiVersion).version };
}

/** Inverse of inventoryEntry; undefined when the id is not one. Never throws. */
export function parseInventoryEntry({ id, v }: InventoryEntry): ObjectTarget | undefined {
  const match = /^([^_]*)_(.+)_([^_]*)_([^_]+)$/.exec(id);
  if (match === null) return undefined;
  const [, namespace = '', name = '', group = '', kind = ''] = match;
  return {
    apiVersion: apiVersionOf({ group, version: v }),
    kind,
    name: name.replaceAll('__', ':'),
    namespace: namespace === '' ? undefined : namespace,
  };
}

/**
 * Entries of `previous` that `next` no longer has, in their old order. The version does not count: it is one object.
 */
export function staleEntries(previous: readonly InventoryEntry[], next: readonly InventoryEntry[]): InventoryEntry[] {
  const kept = new Set(next.map(({ id }) => id));
  return previous.filter(({ id }) => !kept.has(id));
}
