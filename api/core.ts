import { resourceType, type KubeObject } from './meta.js';

/** Resources of Kubernetes itself that Fairlead reads or writes by name. */

export const secretResource = resourceType('v1', 'Secret', 'secrets');
export const configMapResource = resourceType('v1', 'ConfigMap', 'configmaps');
export const eventResource = resourceType('v1', 'Event', 'events');
export const podResource = resourceType('v1', 'Pod', 'pods');
export const serviceAccountResource = resourceType('v1', 'ServiceAccount', 'serviceaccounts');
export const namespaceResource = resourceType('v1', 'Namespace', 'namespaces', { namespaced: false });

export const controllerRevisionResource = resourceType('apps/v1', 'ControllerRevision', 'controllerrevisions');

export const deploymentResource = resourceType('apps/v1', 'Deployment', 'deployments');

export const crdResource = resourceType(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  { namespaced: false },
);

export const leaseResource = resourceType('coordination.k8s.io/v1', 'Lease', 'leases');

/** Creating one asks a question and stores nothing: whose token is this, and may a user do this? */
export const tokenReviewResource = resourceType('authentication.k8s.io/v1', 'TokenReview', 'tokenreviews', {
  namespaced: false,
});

export const subjectAccessReviewResource = resourceType(
  'authorization.k8s.io/v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
  { namespaced: false },
);

/** Who somebody is, as `status.user` of a TokenReview says it. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  /** What the authenticator knows besides, and authorizers may ask for. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** True for a Secret: nobody may read its values in a status, an event or a log. */
export function isSecret({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return kind === 'Secret' && apiVersion === 'v1';
}

/** True for a Job of Kubernetes itself: other groups have kinds of that name, too. */
export function isJob({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return kind === 'Job' && apiVersion.startsWith('batch/');
}

/** True for a Pod of Kubernetes itself. */
export function isPod({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return kind === 'Pod' && apiVersion === 'v1';
}
