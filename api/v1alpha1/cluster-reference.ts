import type Type from 'typebox';
import { object, oneOf, optional, optionalNamespaceName, referredName, text } from '../schema.js';

export const CLUSTER_KINDS = ['Cluster', 'ClusterProfile', 'Secret'] as const;

/** The object that describes a cluster; `namespace` says what a missing one means. */
export function clusterReference(namespace: string) {
  return object('A cluster, by the object that describes it.', {
    apiGroup: optional(
      text(
        'API group of the object. Only a Cluster of Cluster API needs it: cluster.x-k8s.io; without it a Cluster is that of KubeSphere.',
        { maxLength: 253 },
      ),
    ),
    kind: oneOf('Kind of the object.', CLUSTER_KINDS),
    name: referredName('Name of the object.'),
    namespace: optionalNamespaceName(`Namespace of the object. ${namespace} KubeSphere's clusters have none.`),
  });
}
export type ClusterReference = Type.Static<ReturnType<typeof clusterReference>>;
