import { recordedUid } from '#api/v1alpha1/cluster-uid.js';
import { CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child, DesiredChild } from '../types.js';
import { clusterIdOf } from './child-cluster.js';
import { isAccepted } from './replaced.js';
import { factsOf, type ClusterIndex } from './types.js';

/** The UID that a child was made for on this cluster. */
export function recordedIn(live: Child | undefined, id: string): string | undefined {
  return live !== undefined && clusterIdOf(live) === id ? recordedUid(live) : undefined;
}

/** The UIDs that children were made for, by their clusters; '' where they don't agree. Never throws. */
export function agreedUids(children: readonly Child[]): ReadonlyMap<string, string> {
  const agreed = new Map<string, string>();
  for (const child of children) {
    const [id, uid] = [clusterIdOf(child), recordedUid(child)];
    if (id === undefined || uid === undefined) continue;
    agreed.set(id, (agreed.get(id) ?? uid) === uid ? uid : '');
  }
  return agreed;
}

/** The UID that a child was made for, unless the cluster that answers now may take its place. */
function uidFor(live: Child | undefined, id: string, clusters: ClusterIndex, others: ReadonlyMap<string, string>) {
  const [recorded, now] = [recordedIn(live, id), factsOf(clusters, id).uid];
  if (now !== undefined && (recorded === undefined || isAccepted(id, now, clusters))) return now;
  return recorded ?? (live === undefined ? others.get(id) || undefined : undefined);
}

function withUid(desired: DesiredChild, clusters: ClusterIndex, others: ReadonlyMap<string, string>): DesiredChild {
  const { object, live } = desired;
  const id = clusterIdOf(object);
  const uid = id === undefined ? undefined : uidFor(live, id, clusters, others);
  if (uid === undefined) return desired;
  const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: uid };
  return { ...desired, object: { ...object, metadata: { ...object.metadata, annotations } } };
}

/**
 * The children with the UIDs of their clusters: the one that a child has, else that of the cluster that answers now, if
 * it is known; that one as well if it may take the place of the one before. While nothing answers, a new child gets the
 * one on which its siblings `agreed`, so that its engine acts on no other cluster. It is no part of the digest, as it
 * may become known later. Never throws.
 */
export function withUids(
  desired: readonly DesiredChild[],
  clusters: ClusterIndex,
  agreed: ReadonlyMap<string, string>,
): DesiredChild[] {
  return desired.map((each) => withUid(each, clusters, agreed));
}
