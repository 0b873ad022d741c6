import type { KubeObject } from '#api/meta.js';
import { CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child, DesiredChild } from '../types.js';
import { clusterIdOf } from './child-cluster.js';
import type { ClusterView } from './types.js';

/** UID of the cluster that a child is for; undefined: it was not known yet. */
export function uidIn({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[CLUSTER_UID_ANNOTATION];
}

function recordedIn(live: Child | undefined, id: string): string | undefined {
  return live !== undefined && clusterIdOf(live) === id ? uidIn(live) : undefined;
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
