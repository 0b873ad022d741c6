import type Type from 'typebox';
import { conditionsField } from '../flux/common.js';
import { resourceType, type KubeObject } from '../meta.js';
import {
  integer,
  list,
  namespaceName,
  object,
  oneOf,
  optional,
  referredName,
  text,
  selectorFields,
} from '../schema.js';
import { clusterReference } from './destination.js';
import {
  CREDENTIAL_ACCOUNT_ANNOTATION,
  CREDENTIAL_GRANT_ANNOTATION,
  CREDENTIAL_LABEL,
  GITOPS_GROUP,
} from './labels.js';

/** Whoever may write a Secret may write its annotations: anything but names is not shown. */
const NAME = /^[A-Za-z0-9][-./A-Za-z0-9]{0,316}$/;

/**
 * The grant of a Secret with a kubeconfig for a granted cluster, and what it gives, for messages: also after it was
 * taken back. Undefined for any other Secret.
 */
export function grantedBy({
  metadata: { labels = {}, annotations = {} },
}: Pick<KubeObject, 'metadata'>): string | undefined {
  const [grant = '', account = ''] = [
    annotations[CREDENTIAL_GRANT_ANNOTATION],
    annotations[CREDENTIAL_ACCOUNT_ANNOTATION],
  ];
  if (labels[CREDENTIAL_LABEL] !== 'true' || !NAME.test(grant) || !NAME.test(account)) return undefined;
  const rights = account.includes('/') ? `as ServiceAccount ${account}` : "with the inventory's own credential";
  return `ClusterGrant ${grant} ${rights}`;
}

export const clusterGrantResource = resourceType(`${GITOPS_GROUP}/v1alpha1`, 'ClusterGrant', 'clustergrants', {
  namespaced: false,
});

const MAX_NAMES = 1_000;
const NOT_EMPTY = 'All requirements must hold; an empty selector is rejected.';
const namespaceNames = (description: string) =>
  optional(list(description, namespaceName('Name of a namespace.'), { maxItems: MAX_NAMES }));

const GrantedClusters = object('The granted clusters: those in names and those that the selector matches.', {
  names: optional(
    list('Clusters by name.', clusterReference('Required, except for cluster-scoped objects.'), {
      maxItems: MAX_NAMES,
    }),
  ),
  selector: optional(object(`Selector for labels of clusters. ${NOT_EMPTY}`, selectorFields('a cluster'))),
  namespaces: namespaceNames(
    'Namespaces whose clusters the selector may match. Cluster-scoped ones always may. Default: the namespace of the controller.',
  ),
});

const GrantedNamespaces = object('The namespaces that may use the clusters: those in names and those selected.', {
  names: namespaceNames('Namespaces by name.'),
  selector: optional(object(`Selector for labels of namespaces. ${NOT_EMPTY}`, selectorFields('a namespace'))),
});

export const ClusterGrantSpec = object('Clusters, and the namespaces that may use them.', {
  clusters: GrantedClusters,
  namespaces: GrantedNamespaces,
  targetNamespaces: list(
    'Namespaces of the clusters that Applications may release to; `*` alone allows all.',
    text('Name of a namespace, or `*`.', { pattern: String.raw`^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$`, maxLength: 63 }),
    { minItems: 1, maxItems: MAX_NAMES },
  ),
  serviceAccount: optional(
    object(
      'ServiceAccount of each cluster whose permissions are granted. The namespaces get short-lived tokens of it.',
      {
        name: referredName('Name of the ServiceAccount.'),
        namespace: namespaceName('Namespace of the ServiceAccount.'),
      },
    ),
  ),
  credential: optional(
    oneOf(
      "What the namespaces get: tokens of the ServiceAccount (default), or the inventory's own credential, mostly an administrator's.",
      ['ServiceAccountToken', 'SharedCredential'],
    ),
  ),
});
export type ClusterGrantSpec = Type.Static<typeof ClusterGrantSpec>;

export const ClusterGrantStatus = object('Observed state of the grant.', {
  observedGeneration: optional(integer('Last generation that was reconciled.')),
  conditions: conditionsField('grant'),
  clusterCount: optional(integer('Number of clusters that the grant matches.', { minimum: 0 })),
  namespaceCount: optional(integer('Number of namespaces that the grant matches.', { minimum: 0 })),
  clusters: optional(
    list('Clusters that the grant matches, by name; at most 100.', text('Kind, namespace and name.'), {
      maxItems: 100,
    }),
  ),
});
export type ClusterGrantStatus = Type.Static<typeof ClusterGrantStatus>;

export const ClusterGrant = object('Allows namespaces to release to clusters that are not their own.', {
  spec: ClusterGrantSpec,
  status: optional(ClusterGrantStatus),
});
export type ClusterGrant = KubeObject & Type.Static<typeof ClusterGrant>;
