import { recordedUid } from '#api/v1alpha1/cluster-uid.js';
import { CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child, DesiredChild } from '../types.js';
import { clusterIdOf } from './child-cluster.js';
import type { ClusterView } from './types.js';

function recordedIn(live: Child | undefined, id: string): string | undefined {
  return live !== undefined && clusterIdOf(live) === id ? recordedUid(live) : undefined;
}

/**
 * The child with the UID of its cluster: the one that it has, else that of the cluster that answers now, if it is known.
 * Not a part of the digest, as it may become known later. Never throws.
 */
export function withUid(desired: DesiredChild, { uidOf }: Pick<ClusterView, 'uidOf'>): DesiredChild {
  const { object, live } = desired;
  const id = clusterIdOf(object);
  const uid = id === undefined ? undefined : (recordedIn(live, id) ?? uidOf(id));
  if (uid === undefined) return desired;
  const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: uid };
  return { ...desired, object: { ...object, metadata: { ...object.metadata, annotations } } };
}
