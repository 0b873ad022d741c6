import { HASH_LENGTH, hashedName } from '#lib/hash.js';
import { clusterIdText, type Cluster, type ClusterId } from './cluster.js';

const PREFIX = 'cluster-';
const CLUSTER_API = 'cluster.x-k8s.io';
const MAX_NAME = 63;
const CREDENTIAL_NAME = new RegExp(`^${PREFIX}.*-[a-z2-7]{${HASH_LENGTH}}$`);

/** The kubeconfig Secret of a destination. */
export interface CredentialRef {
  readonly name: string;
}

/** Name of the Secret that is made in a namespace for a cluster: by its identity alone, the same in each namespace. */
export function credentialName(id: ClusterId): string {
  return hashedName(`${PREFIX}${id.name}`, clusterIdText(id), MAX_NAME);
}

/** True for what may be a `credentialName`. */
export function isCredentialName(name: string): boolean {
  return name.length <= MAX_NAME && CREDENTIAL_NAME.test(name);
}

/**
 * The Secret with a kubeconfig that a cluster has in its own namespace, made by users or by Cluster API. One of Argo CD
 * never has the credential `kubeconfig-secret`, and a labelled one never another, whatever they contain.
 */
function ownSecret({ id, credential }: Pick<Cluster, 'id' | 'credential'>): string | undefined {
  if (id.kind === 'Secret') return credential.type === 'kubeconfig-secret' ? id.name : undefined;
  return id.apiGroup === CLUSTER_API ? `${id.name}-kubeconfig` : undefined;
}

/**
 * The Secret with which `namespace` reaches a cluster; undefined for the host, which needs none. It depends on nothing
 * that may change while a release is there: neither on grants nor on the state of the cluster.
 */
export function credentialRefOf(
  cluster: Pick<Cluster, 'id' | 'isHost' | 'credential'>,
  namespace: string,
): CredentialRef | undefined {
  if (cluster.isHost) return undefined;
  const own = cluster.id.namespace === namespace ? ownSecret(cluster) : undefined;
  return { name: own ?? credentialName(cluster.id) };
}
