import type { KubeObject, ResourceType } from '#api/meta.js';
import { adaptersFor } from '#controllers/cluster/model/adapters/index.js';
import type { Cluster, Adapter } from '#controllers/cluster/model/cluster.js';
import { listAll, type Kube, type ListQuery } from '#runtime/client/kube.js';
import { defined } from '#lib/plain.js';
import { apiStatusOf, isNotFound } from '#lib/errors.js';

/** The clusters of one kind of object. */
export interface Reading {
  readonly adapter: Adapter;
  readonly clusters: readonly Cluster[];
  readonly state: 'read' | 'notServed' | 'forbidden';
}

/** True for what this user may not ask. */
export function isForbidden(error: unknown): boolean {
  return apiStatusOf(error)?.code === 403;
}

/** Undefined: there is no such kind. */
export async function listServed<T extends KubeObject = KubeObject>(
  kube: Kube,
  type: ResourceType,
  query: ListQuery,
): Promise<T[] | undefined> {
  try {
    return (await listAll<T>(kube, type, type.namespaced ? query : { ...query, namespace: undefined })).items;
  } catch (error: unknown) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** What the user may not list has no clusters, and the state `forbidden`. */
export async function readAdapter(kube: Kube, adapter: Adapter, query: ListQuery): Promise<Reading> {
  const { types, labelSelector, metadataOnly, keep, clusterOf } = adapter;
  try {
    for (const type of types) {
      const objects = await listServed(kube, type, { ...query, ...defined({ labelSelector, metadataOnly }) });
      if (objects === undefined) continue;
      return { adapter, clusters: objects.map((object) => clusterOf(keep(object))), state: 'read' };
    }
    return { adapter, clusters: [], state: 'notServed' };
  } catch (error: unknown) {
    if (!isForbidden(error)) throw error;
    return { adapter, clusters: [], state: 'forbidden' };
  }
}

/** Reads the clusters of a query, and those without a namespace. */
export function readClusters(kube: Kube, query: ListQuery): Promise<Reading[]> {
  return Promise.all(adaptersFor(undefined).map((adapter) => readAdapter(kube, adapter, query)));
}
