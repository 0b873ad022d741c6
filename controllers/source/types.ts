import { bucketResource } from '#api/flux/bucket.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import type { ResourceType } from '#api/meta.js';

/** The kinds that are fetched. */
export const SOURCE_TYPES: readonly ResourceType[] = [
  gitRepositoryResource,
  helmRepositoryResource,
  helmChartResource,
  ociRepositoryResource,
  bucketResource,
];
