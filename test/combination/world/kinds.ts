import { CLUSTER_API_RESOURCES } from '#api/cluster/kinds.js';
import { controllerRevisionResource, namespaceResource, secretResource } from '#api/core.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import { bucketResource } from '#api/flux/bucket.js';
import type { ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { clusterGrantResource } from '#api/v1alpha1/cluster-grant.js';
import { TEMPLATE_RESOURCES } from '#api/v1alpha1/template.js';
import { resourceOf } from './server.js';

/** The newest version of Cluster API. */
export const capiResource: ResourceType = CLUSTER_API_RESOURCES[0]!; // the list is a constant

/** Children of Applications. */
export const CHILD_RESOURCES: readonly ResourceType[] = [helmReleaseResource, kustomizationResource];

/** Everything in a namespace that is deleted with it. */
export const NAMESPACED: readonly ResourceType[] = [
  ...[applicationResource, ...CHILD_RESOURCES, ...TEMPLATE_RESOURCES, secretResource, controllerRevisionResource],
  ...[helmRepositoryResource, gitRepositoryResource, helmChartResource, capiResource],
];

const SERVED = new Set(
  [...[...NAMESPACED, namespaceResource, clusterGrantResource, ociRepositoryResource, bucketResource]].map(
    (type) => `${resourceOf(type)}/${type.version}`,
  ),
);

/** The kinds that the server of this world knows. */
export function isServed(type: ResourceType): boolean {
  return SERVED.has(`${resourceOf(type)}/${type.version}`);
}
