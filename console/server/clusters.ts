import type { FastifyInstance } from 'fastify';
import { kubesphereClusterResource } from '#api/cluster/kinds.js';
import { secretResource, type UserInfo } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { CLUSTER_LABEL, MANAGED_BY_LABEL } from '#api/v1alpha1/labels.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { apiStatusOf } from '#lib/errors.js';
import { keptReads } from './kept-reads.js';
import { ROUTES } from './schemas.js';

export interface ClusterEntry {
  readonly server?: string;
  readonly name: string;
}

/** Of the cluster that Applications are in, as Argo CD calls it. */
const HOST: ClusterEntry = { server: 'https://kubernetes.default.svc', name: 'in-cluster' };

/** What names a cluster: KubeSphere's Clusters, and Secrets with a kubeconfig, of Fairlead or of ks-devops. */
const KINDS: readonly { readonly type: ResourceType; readonly labelSelector?: string }[] = [
  { type: kubesphereClusterResource },
  { type: secretResource, labelSelector: `${CLUSTER_LABEL}=true` },
  { type: secretResource, labelSelector: `${MANAGED_BY_LABEL}=fluxcd-controller` },
];

/** Characters that are kept. */
const MOST_KEPT = 8 * 1024 * 1024;
/** Tenants write their metadata: a page has as many bytes as many of usual size need. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** He may not list them, or there is no such kind. */
const NONE: readonly number[] = [403, 404];

async function namesOf(
  kube: Kube,
  { type, labelSelector }: (typeof KINDS)[number],
  signal: AbortSignal,
): Promise<string[]> {
  const selected = labelSelector === undefined ? {} : { labelSelector };
  try {
    const { items } = await listAll<KubeObject>(kube, type, {
      metadataOnly: true,
      signal,
      maxBytes: MAX_PAGE_BYTES,
      ...selected,
    });
    return items.map(({ metadata }) => metadata.name);
  } catch (error: unknown) {
    if (NONE.includes(apiStatusOf(error)?.code ?? 0)) return [];
    throw error;
  }
}

/** The clusters that a user may list himself, each name once; only names leave. */
async function clustersOf(own: Kube, signal: AbortSignal): Promise<ClusterEntry[]> {
  const found = await Promise.all(KINDS.map((kind) => namesOf(own, kind, signal)));
  return [HOST, ...[...new Set(found.flat())].sort().map((name) => ({ name }))];
}

export function addClusters(app: FastifyInstance, kube: Kube): void {
  const answers = keptReads(app, kube, {
    what: 'reads of clusters',
    most: MOST_KEPT,
    read: (own, _: { readonly user: UserInfo }, signal) => clustersOf(own, signal),
  });
  app.get('/clusters', { schema: ROUTES.clusters }, ({ user }) => answers.to({ user }));
}
