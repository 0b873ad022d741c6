import type { KubeObject } from '../meta.js';
import { ACCEPT_CLUSTER_UID_ANNOTATION, CLUSTER_UID_ANNOTATION } from './labels.js';

/** UID of the cluster that an object is for; undefined: it was not known yet, or any will do. */
export function recordedUid({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[CLUSTER_UID_ANNOTATION];
}

/** UID of the cluster that may take the place of the one that a cluster was, by its annotations. */
export function acceptedUid(annotations: Readonly<Record<string, string>>): string | undefined {
  return annotations[ACCEPT_CLUSTER_UID_ANNOTATION];
}
