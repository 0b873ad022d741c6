import { CLUSTER_ID_ANNOTATION, SELECTION_ANNOTATION } from '#api/v1alpha1/labels.js';
import { clusterLabel } from '../cluster.js';
import type { Child } from '../types.js';
import { clusterNameFrom } from './cluster-name.js';

/** The cluster of a child, if the inventory provided it, as `clusterIdText`. */
export function clusterIdOf({ metadata }: Child): string | undefined {
  return metadata.annotations?.[CLUSTER_ID_ANNOTATION];
}

/** What the selector that made a child selects releases for; see `selectionText` of backends. */
export function selectionOf({ metadata }: Child): string | undefined {
  return metadata.annotations?.[SELECTION_ANNOTATION];
}

/** The name of a child's cluster, as in the status. */
export function clusterNameOf(child: Child): string {
  const id = clusterIdOf(child);
  return id === undefined ? clusterLabel(child.spec.kubeConfig) : clusterNameFrom(child.metadata.namespace, id);
}
