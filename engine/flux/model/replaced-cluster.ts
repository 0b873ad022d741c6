import type { KubeObject } from '#api/meta.js';
import { CLUSTER_UID_ANNOTATION, recordedUid } from '#api/v1alpha1/labels.js';
import { keyOf } from '#lib/kube/keys.js';

/** Of a UID that somebody wrote, messages show at most so much. */
const MOST_SHOWN = 64;

/**
 * Why nothing may be done for an object on the cluster that answers as `member` and has the UID `found`; undefined if
 * that is its cluster, or if one of the two is unknown. Never throws.
 */
export function replacedBy(object: KubeObject, member: string, found: string | undefined): string | undefined {
  const recorded = recordedUid(object);
  if (recorded === undefined || found === undefined || recorded === found) return undefined;
  const subject = `${object.kind} ${keyOf(object.metadata)}`;
  return (
    `${member} leads to another cluster than the one that ${subject} is for: the UID of namespace kube-system is ` +
    `${found} instead of ${recorded.slice(0, MOST_SHOWN)}; correct the kubeconfig, or, if the cluster was replaced, ` +
    `remove the annotation ${CLUSTER_UID_ANNOTATION} of ${subject}`
  );
}
