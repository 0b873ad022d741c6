import pLimit from 'p-limit';
import type { KubeObject } from '#api/meta.js';
import { CLUSTER_ID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { existenceOf } from '#controllers/cluster/existence.js';
import { clusterIdText, type ClusterId } from '#controllers/cluster/model/cluster.js';
import type { Existence } from '#controllers/cluster/model/existence.js';
import type { Kube } from '#runtime/client/kube.js';
import { apiStatusOf } from '#lib/errors.js';
import type { ClusterView } from '#queries/host/model/cluster-view.js';

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
