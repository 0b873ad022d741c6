import pLimit from 'p-limit';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { isForbidden, listServed, readClusters, type Reading } from '#queries/host/clusters.js';
import type { Kube, ListQuery } from '#runtime/client/kube.js';
import { CLUSTER_ID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { existenceOf, type Existence } from '#controllers/cluster/existence.js';
import { type ClusterId, clusterIdText } from '#controllers/cluster/model/cluster.js';
import { apiStatusOf } from '#lib/errors.js';
import type { ClusterView } from '#queries/answers/clusters.js';

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

const AT_ONCE = 10;

function idOf({ apiGroup, kind, namespace, name }: ClusterView): ClusterId {
  // An unknown kind is one that no adapter knows.
  return { apiGroup, kind: kind as ClusterId['kind'], namespace: namespace === '' ? undefined : namespace, name };
}

/** When the cluster is known to have existed: its youngest child was created. */
function knownSince(id: ClusterId, children: readonly KubeObject[]): string | undefined {
  const text = clusterIdText(id);
  const own = children.filter(({ metadata }) => metadata.annotations?.[CLUSTER_ID_ANNOTATION] === text);
  return own
    .flatMap(({ metadata }) => metadata.creationTimestamp ?? [])
    .sort()
    .at(-1);
}

function textOf(existence: Existence): string {
  if (existence === 'gone') return 'it was deleted, or lost its label';
  return existence === 'exists' ? 'it exists, but was not listed' : `it may exist: ${existence.unknown}`;
}

async function explained(kube: Kube, view: ClusterView, children: readonly KubeObject[]): Promise<ClusterView> {
  const id = idOf(view);
  try {
    return { ...view, message: textOf(await existenceOf(kube, id, { knownSince: knownSince(id, children) })) };
  } catch (error: unknown) {
    // The user may not read CRDs: the message stays as general as it is.
    if (apiStatusOf(error)?.code === 403) return view;
    throw error;
  }
}

/** The views, with the cause for each cluster that is lost. */
export async function withCauses(
  kube: Kube,
  views: readonly ClusterView[],
  children: readonly KubeObject[],
): Promise<ClusterView[]> {
  const limit = pLimit(AT_ONCE);
  const causeOf = (view: ClusterView): Promise<ClusterView> =>
    view.state === 'Lost' ? limit(() => explained(kube, view, children)) : Promise.resolve(view);
  return Promise.all(views.map(causeOf));
}
