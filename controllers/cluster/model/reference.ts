import type { ClusterReference } from '#api/v1alpha1/destination.js';
import type { ClusterId } from './cluster.js';

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
