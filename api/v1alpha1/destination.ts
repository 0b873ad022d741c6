import type Type from 'typebox';
import { SecretKeyReference } from '../flux/common.js';
import { selectorFields } from '../label-selector.js';
import { list, object, optional, optionalNamespaceName, text, type Rule } from '../schema.js';
import { clusterReference } from './cluster-reference.js';

/** The ways to name clusters; a destination has at most one. */
export const CLUSTER_FIELDS = ['kubeConfig', 'clusterRef', 'clusterSelector'] as const;

const ONE_WAY: Rule = {
  rule: `[${CLUSTER_FIELDS.map((field) => `has(self.${field})`).join(', ')}].filter(isSet, isSet).size() <= 1`,
  message: `set at most one of ${CLUSTER_FIELDS.join(', ')}`,
};

function clusterNames(description: string) {
  const name = text("Name of a cluster; NAMESPACE/NAME if it is not in the Application's namespace.", {
    minLength: 1,
    maxLength: 317,
  });
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
