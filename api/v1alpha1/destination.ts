import type Type from 'typebox';
import { SecretKeyReference } from '../flux/common.js';
import {
  list,
  object,
  optional,
  optionalNamespaceName,
  text,
  type Rule,
  selectorFields,
  oneOf,
  referredName,
} from '../schema.js';

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

/** The ways to name clusters; a destination has at most one. */
export const CLUSTER_FIELDS = ['kubeConfig', 'clusterRef', 'clusterSelector'] as const;

const ONE_WAY: Rule = {
  rule: `[${CLUSTER_FIELDS.map((field) => `has(self.${field})`).join(', ')}].filter(isSet, isSet).size() <= 1`,
  message: `set at most one of ${CLUSTER_FIELDS.join(', ')}`,
};

function clusterNames(description: string) {
  const name = text(
    'Name of a cluster: NAME, NAMESPACE/NAME of another namespace, or KIND/NAMESPACE/NAME, which tells two of one name apart.',
    { minLength: 1, maxLength: 332 },
  );
  return optional(list(description, name, { maxItems: 1_000 }));
}

/** Clusters by their names, which `description` explains, or by their labels. */
export function clusterChoice(description: string) {
  return {
    names: clusterNames(description),
    selector: optional(object('Selector for cluster labels; all requirements must hold.', selectorFields('a cluster'))),
  };
}

const ClusterSelector = object(
  'Selects clusters of the inventory by their labels; all requirements must hold, and an empty selector is rejected.',
  {
    ...selectorFields('a cluster'),
    exclude: clusterNames('Clusters that are not selected.'),
  },
);
export type ClusterSelector = Type.Static<typeof ClusterSelector>;

export const Destination = object(
  'Target cluster and namespace.',
  {
    kubeConfig: optional(
      object('Kubeconfig of the target cluster. Default: the host cluster.', {
        secretRef: SecretKeyReference,
      }),
    ),
    clusterRef: optional(clusterReference("Default: the Application's own.")),
    clusterSelector: optional(ClusterSelector),
    targetNamespace: optionalNamespaceName(
      "Namespace to install into. Default: the Application's own; for a kustomization, as in the files.",
    ),
  },
  { rules: [ONE_WAY] },
);
