import type { KubeObject, ResourceType } from './meta.js';

/** Resources of Kubernetes itself that Fairlead reads or writes by name. */

const core = { group: '', version: 'v1', namespaced: true };

export const secretResource: ResourceType = { ...core, kind: 'Secret', plural: 'secrets' };
export const configMapResource: ResourceType = { ...core, kind: 'ConfigMap', plural: 'configmaps' };
export const eventResource: ResourceType = { ...core, kind: 'Event', plural: 'events' };
export const podResource: ResourceType = { ...core, kind: 'Pod', plural: 'pods' };
export const serviceAccountResource: ResourceType = { ...core, kind: 'ServiceAccount', plural: 'serviceaccounts' };
export const namespaceResource: ResourceType = { ...core, kind: 'Namespace', plural: 'namespaces', namespaced: false };

export const controllerRevisionResource: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
};

export const deploymentResource: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

export const crdResource: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

export const leaseResource: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

/** Creating one asks a question and stores nothing: whose token is this, and may a user do this? */
export const tokenReviewResource: ResourceType = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
};

export const subjectAccessReviewResource: ResourceType = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
};

/** Who somebody is, as `status.user` of a TokenReview says it. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  /** What the authenticator knows besides, and authorizers may ask for. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** True for a Job of Kubernetes itself: other groups have kinds of that name, too. */
export function isJob({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return kind === 'Job' && apiVersion.startsWith('batch/');
}

/** True for a Pod of Kubernetes itself. */
export function isPod({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return kind === 'Pod' && apiVersion === 'v1';
}
