import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Cluster, ClusterId } from '../cluster.js';

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
  /** What is kept of an object: never a credential, and no more than a bound. Total, and harmless if done again. */
  readonly keep: (object: KubeObject) => KubeObject;
  /** What was kept, as a cluster. Pure and total: an object that lacks what it needs is a cluster that says so. */
  readonly clusterOf: (kept: KubeObject) => Cluster;
}
