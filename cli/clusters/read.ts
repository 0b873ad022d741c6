import { helmReleaseResource } from '../../api/flux/helm-release.js';
import { kustomizationResource } from '../../api/flux/kustomization.js';
import type { KubeObject, ResourceType } from '../../api/meta.js';
import { adaptersFor } from '../../controllers/cluster/model/adapters/index.js';
import type { Adapter } from '../../controllers/cluster/model/adapters/types.js';
import type { Cluster } from '../../controllers/cluster/model/cluster.js';
import { listAll, type Kube, type ListQuery } from '../../controllers/runtime/kube.js';
import { defined } from '../../controllers/runtime/pure/defined.js';
import { apiStatusOf, isNotFound } from '../../controllers/runtime/pure/errors.js';

/** What may be for a cluster of the inventory. */
const CHILDREN: readonly ResourceType[] = [helmReleaseResource, kustomizationResource];

/** The clusters of one kind of object. */
export interface Reading {
  readonly adapter: Adapter;
  readonly clusters: readonly Cluster[];
  readonly state: 'read' | 'notServed' | 'forbidden';
}

/** What a cluster has of clusters, and of children for them. */
export interface Found {
  readonly readings: readonly Reading[];
  /** Metadata only. */
  readonly children: readonly KubeObject[];
  /** False: only children in the namespace of the clusters could be read. */
  readonly hasAllChildren: boolean;
}

function isForbidden(error: unknown): boolean {
  return apiStatusOf(error)?.code === 403;
}

async function listed(kube: Kube, type: ResourceType, query: ListQuery): Promise<KubeObject[] | undefined> {
  try {
    return (await listAll<KubeObject>(kube, type, type.namespaced ? query : { ...query, namespace: undefined })).items;
  } catch (error: unknown) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

export async function readAdapter(kube: Kube, adapter: Adapter, query: ListQuery): Promise<Reading> {
  const { types, labelSelector, metadataOnly, keep, clusterOf } = adapter;
  try {
    for (const type of types) {
      const objects = await listed(kube, type, { ...query, ...defined({ labelSelector, metadataOnly }) });
      if (objects === undefined) continue;
      return { adapter, clusters: objects.map((object) => clusterOf(keep(object))), state: 'read' };
    }
    return { adapter, clusters: [], state: 'notServed' };
  } catch (error: unknown) {
    if (!isForbidden(error)) throw error;
    return { adapter, clusters: [], state: 'forbidden' };
  }
}

async function childrenIn(kube: Kube, query: ListQuery): Promise<KubeObject[]> {
  const lists = await Promise.all(CHILDREN.map((type) => listed(kube, type, { ...query, metadataOnly: true })));
  return lists.flatMap((list) => list ?? []);
}

/** Children of all namespaces, because they may be in any; of one, if the user may not read all. */
async function findChildren(kube: Kube, { namespace }: ListQuery): Promise<Pick<Found, 'children' | 'hasAllChildren'>> {
  try {
    return { children: await childrenIn(kube, {}), hasAllChildren: true };
  } catch (error: unknown) {
    if (namespace === undefined || !isForbidden(error)) throw error;
    return { children: await childrenIn(kube, { namespace }), hasAllChildren: false };
  }
}

/** Reads the clusters of a query, and those without a namespace. */
export async function findClusters(kube: Kube, query: ListQuery): Promise<Found> {
  const [readings, children] = await Promise.all([
    Promise.all(adaptersFor(undefined).map((adapter) => readAdapter(kube, adapter, query))),
    findChildren(kube, query),
  ]);
  return { readings, ...children };
}
