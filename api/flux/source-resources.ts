import type { ResourceType } from '../meta.js';
import { bucketResource } from './bucket.js';
import { externalArtifactResource } from './external-artifact.js';
import { gitRepositoryResource } from './git-repository.js';
import { helmChartResource } from './helm-chart.js';
import { helmRepositoryResource } from './helm-repository.js';
import { ociRepositoryResource } from './oci-repository.js';
import type { SourceKind } from './source-kinds.js';

/** Every kind of source. */
export const SOURCE_RESOURCES: Readonly<Record<SourceKind, ResourceType>> = {
  HelmRepository: helmRepositoryResource,
  GitRepository: gitRepositoryResource,
  OCIRepository: ociRepositoryResource,
  Bucket: bucketResource,
  HelmChart: helmChartResource,
  ExternalArtifact: externalArtifactResource,
};
