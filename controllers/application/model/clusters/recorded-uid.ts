import { recordedUid } from '#api/v1alpha1/cluster-uid.js';
import { CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child, DesiredChild } from '../types.js';
import { clusterIdOf } from './child-cluster.js';
import { isAccepted } from './replaced.js';
import type { ClusterView } from './types.js';

type Identified = Pick<ClusterView, 'uidOf' | 'find'>;

/** The UID that a child was made for on this cluster. */
export function recordedIn(live: Child | undefined, id: string): string | undefined {
  return live !== undefined && clusterIdOf(live) === id ? recordedUid(live) : undefined;
}

/** The UID that a child was made for, unless the cluster that answers now may take its place. */
function uidFor(live: Child | undefined, id: string, clusters: Identified): string | undefined {
  const [recorded, now] = [recordedIn(live, id), clusters.uidOf(id)];
  return now !== undefined && (recorded === undefined || isAccepted(id, now, clusters)) ? now : recorded;
}

/**
 * The child with the UID of its cluster: the one that it has, else that of the cluster that answers now, if it is known;
 * that one as well if it may take the place of the one before. Not a part of the digest, as it may become known later. Never throws.
 */
export function withUid(desired: DesiredChild, clusters: Identified): DesiredChild {
  const { object, live } = desired;
  const id = clusterIdOf(object);
  const uid = id === undefined ? undefined : uidFor(live, id, clusters);
  if (uid === undefined) return desired;
  const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: uid };
  return { ...desired, object: { ...object, metadata: { ...object.metadata, annotations } } };
}
