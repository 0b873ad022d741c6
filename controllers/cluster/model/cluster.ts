import type { ClusterReference } from '#api/v1alpha1/destination.js';
import type { KubeObject, ResourceType } from '#api/meta.js';

/** Identifies a cluster of the inventory by the object that describes it. */
export interface ClusterId {
  /** '' for Secrets. */
  readonly apiGroup: string;
  readonly kind: 'Cluster' | 'ClusterProfile' | 'Secret';
  /** Undefined: the object is cluster-scoped, as KubeSphere's are. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Where the inventory's own credential of a cluster is; it is read on demand, and never cached. */
export type CredentialSource =
  /** `key` undefined: `value`, else `value.yaml`, as in a destination. */
  | {
      readonly type: 'kubeconfig-secret';
      readonly namespace: string;
      readonly name: string;
      readonly key: string | undefined;
    }
  | { readonly type: 'argocd-secret'; readonly namespace: string; readonly name: string }
  /** In the object itself: `spec.connection.kubeconfig` of KubeSphere's Cluster. */
  | {
      readonly type: 'inline';
      /** Changes whenever the credential may have changed. */
      readonly version: string;
    }
  /** The cluster that the controller runs in: its own credential. */
  | { readonly type: 'host' }
  | { readonly type: 'none'; readonly why: string };

export interface Readiness {
  readonly state: 'Ready' | 'NotReady' | 'Unknown';
  /** Empty where there is nothing to add. */
  readonly message: string;
}

/** A cluster as the inventory knows it, whichever kind of object describes it. */
export interface Cluster {
  readonly id: ClusterId;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** What values may read besides; of a Cluster of Cluster API the object, as `cluster`. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly kubernetesVersion: string | undefined;
  readonly readiness: Readiness;
  readonly isPaused: boolean;
  /** KubeSphere's host cluster: the one that the controller runs in. */
  readonly isHost: boolean;
  readonly credential: CredentialSource;
}

/**
 * The identity as one text, for hashes and annotations: the same for ever, and never that of another one, because no
 * part holds a slash.
 */
export function clusterIdText({ apiGroup, kind, namespace = '', name }: ClusterId): string {
  return [apiGroup, kind, namespace, name].join('/');
}

/** The identity that `clusterIdText` has written; undefined for any other text. */
export function clusterIdFrom(text: string): ClusterId | undefined {
  const [apiGroup, kind, namespace, name, ...more] = text.split('/');
  if (apiGroup === undefined || namespace === undefined || name === undefined || more.length > 0) return undefined;
  if (kind !== 'Cluster' && kind !== 'ClusterProfile' && kind !== 'Secret') return undefined;
  return { apiGroup, kind, namespace: namespace === '' ? undefined : namespace, name };
}

/** How objects of one kind become clusters. */
export interface Adapter {
  /** For messages: `the clusters of NAME`. */
  readonly name: string;
  readonly kind: Pick<ClusterId, 'apiGroup' | 'kind'>;
  /** The same objects in several versions of their API, the one to prefer first. */
  readonly types: readonly ResourceType[];
  /** Only objects with these labels; all by default. */
  readonly labelSelector?: string;
  readonly metadataOnly?: boolean;
  /** Keeps part of an object: never a credential, and no more than a bound. Total, and harmless if done again. */
  readonly keep: (object: KubeObject) => KubeObject;
  /** Reads a cluster from a kept object. Pure and total: a cluster says what its object lacks. */
  readonly clusterOf: (kept: KubeObject) => Cluster;
}

const KUBESPHERE = 'cluster.kubesphere.io';

/** The groups of a kind, the first one if the reference names none. A CRD that is served or not changes nothing here. */
const GROUPS: Readonly<Record<ClusterId['kind'], readonly string[]>> = {
  Cluster: [KUBESPHERE, 'cluster.x-k8s.io'],
  ClusterProfile: ['multicluster.x-k8s.io'],
  Secret: [''],
};

/**
 * The cluster that a reference means; without a namespace the one in `ownNamespace`. Otherwise what is wrong, starting
 * with the field. Never throws.
 */
export function readReference(
  reference: ClusterReference,
  ownNamespace: string | undefined,
): ClusterId | { readonly problem: string } {
  const { kind, name, namespace: stated = '' } = reference;
  const groups = GROUPS[kind];
  const apiGroup = reference.apiGroup || (groups[0] ?? '');
  if (!groups.includes(apiGroup)) {
    const known = groups.map((group) => JSON.stringify(group)).join(' or ');
    return { problem: `apiGroup: a ${kind} is of the group ${known}, not ${JSON.stringify(apiGroup)}` };
  }
  if (apiGroup === KUBESPHERE) {
    if (stated === '') return { apiGroup, kind, namespace: undefined, name };
    const wayOut = 'remove it, or set apiGroup: cluster.x-k8s.io for a Cluster of Cluster API';
    return { problem: `namespace: a Cluster of KubeSphere has none; ${wayOut}` };
  }
  const namespace = stated || ownNamespace;
  if (namespace === undefined) return { problem: `namespace: is missing; set the namespace of the ${kind}` };
  return { apiGroup, kind, namespace, name };
}
