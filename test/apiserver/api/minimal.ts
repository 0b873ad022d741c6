import { bucketResource } from '#api/flux/bucket.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import { receiverResource } from '#api/flux/receiver.js';
import type { ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { helmTemplateResource } from '#api/v1alpha1/helm-template.js';
import { kustomizationTemplateResource } from '#api/v1alpha1/kustomization-template.js';

const specs: readonly (readonly [ResourceType, object])[] = [
  [applicationResource, { fluxApp: { spec: { config: { helmRelease: { chart: { chart: 'web' }, deploy: [] } } } } }],
  [
    helmTemplateResource,
    { sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: 'shop' }, chart: { chart: 'web' } },
  ],
  [kustomizationTemplateResource, { sourceRef: { kind: 'GitRepository', name: 'apps', namespace: 'shop' } }],
  [
    helmReleaseResource,
    {
      interval: '1m',
      chart: { spec: { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: 'other' } } },
    },
  ],
  [kustomizationResource, { interval: '1m', prune: true, sourceRef: { kind: 'GitRepository', name: 'apps' } }],
  [gitRepositoryResource, { interval: '1m', url: 'https://example.org/apps.git' }],
  [helmRepositoryResource, { interval: '1m', url: 'https://example.org/charts' }],
  [helmChartResource, { interval: '1m', chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'charts' } }],
  [ociRepositoryResource, { interval: '1m', url: 'oci://example.org/charts/web' }],
  [receiverResource, { type: 'generic', resources: [{ kind: 'GitRepository', name: 'apps' }] }],
  [bucketResource, { interval: '1m', bucketName: 'apps', endpoint: 'example.org' }],
];

/** One object of each kind that says only what it must. */
export const MINIMAL = specs.map(([type, spec]) => [type.kind, type, spec] as const);
