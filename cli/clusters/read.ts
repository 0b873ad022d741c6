import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { isForbidden, listServed, readClusters, type Reading } from '#queries/host/clusters.js';
import type { Kube, ListQuery } from '#runtime/client/kube.js';

/** What may be for a cluster of the inventory. */
const CHILDREN: readonly ResourceType[] = [helmReleaseResource, kustomizationResource];

/** What a cluster has of clusters, and of children for them. */
export interface Found {
  readonly readings: readonly Reading[];
  /** Metadata only. */
  readonly children: readonly KubeObject[];
  /** False: only children in the namespace of the clusters could be read. */
  readonly hasAllChildren: boolean;
  /** Undefined: the user may not list them. */
  readonly applications: readonly Application[] | undefined;
}

async function childrenIn(kube: Kube, query: ListQuery): Promise<KubeObject[]> {
  const lists = await Promise.all(CHILDREN.map((type) => listServed(kube, type, { ...query, metadataOnly: true })));
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

async function findApplications(kube: Kube, query: ListQuery): Promise<Application[] | undefined> {
  try {
    return (await listServed<Application>(kube, applicationResource, query)) ?? [];
  } catch (error: unknown) {
    if (!isForbidden(error)) throw error;
    return undefined;
  }
}

/** Reads the clusters of a query, those without a namespace, and what may be for them. */
export async function findClusters(kube: Kube, query: ListQuery): Promise<Found> {
  const [readings, children, applications] = await Promise.all([
    readClusters(kube, query),
    findChildren(kube, query),
    findApplications(kube, query),
  ]);
  return { readings, ...children, applications };
}
