import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Cluster } from '../cluster.js';

/** How objects of one kind become clusters. */
export interface Adapter {
  /** For messages, in the plural. */
  readonly name: string;
  /** The same objects in several versions of their API, the one to prefer first. */
  readonly types: readonly ResourceType[];
  /** Only objects with these labels; all by default. */
  readonly labelSelector?: string;
  readonly metadataOnly?: boolean;
  /** Pure and total: an object that lacks what it needs is a cluster that says so, or none. */
  readonly clusterOf: (object: KubeObject) => Cluster | undefined;
}
