import type Type from 'typebox';
import { Bucket } from '#api/flux/bucket.js';
import { ExternalArtifact } from '#api/flux/external-artifact.js';
import { GitRepository } from '#api/flux/git-repository.js';
import { HelmChart } from '#api/flux/helm-chart.js';
import { HelmRelease, helmReleaseResource } from '#api/flux/helm-release.js';
import { HelmRepository } from '#api/flux/helm-repository.js';
import { Kustomization, kustomizationResource } from '#api/flux/kustomization.js';
import { OCIRepository } from '#api/flux/oci-repository.js';
import { Receiver, receiverResource } from '#api/flux/receiver.js';
import { SOURCE_KINDS, SOURCE_RESOURCES, type SourceKind } from '#api/flux/source-kinds.js';
import type { ResourceType } from '#api/meta.js';
import { Application, applicationResource } from '#api/v1alpha1/application.js';
import { ClusterGrant, clusterGrantResource } from '#api/v1alpha1/cluster-grant.js';
import { HelmTemplate, helmTemplateResource } from '#api/v1alpha1/helm-template.js';
import { KustomizationTemplate, kustomizationTemplateResource } from '#api/v1alpha1/kustomization-template.js';
import { defined } from '#lib/plain.js';

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  /** Above 0: only with `-o wide`. */
  readonly priority?: number;
}

/** The content of a CRD, in addition to its group and names. */
export interface Kind {
  readonly resource: ResourceType;
  /** An object of `spec` and `status`. */
  readonly schema: Type.TSchema;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly columns: readonly Column[];
}

function text(name: string, jsonPath: string, priority?: number): Column {
  return { name, type: 'string', jsonPath, ...defined({ priority }) };
}

function count(name: string, jsonPath: string): Column {
  return { name, type: 'integer', jsonPath };
}

function ready(name: string, field: 'status' | 'message'): Column {
  return text(name, `.status.conditions[?(@.type=="Ready")].${field}`);
}

const AGE: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const FLUX_COLUMNS = [AGE, ready('Ready', 'status'), ready('Status', 'message')];
const URL_COLUMN = text('URL', '.spec.url');
const OWN = ['fairlead', 'gitops'];
const SOURCES = ['fluxcd', 'fluxcd-sources'];
const APPLIERS = ['fluxcd', 'fluxcd-appliers'];
const WIDE = 1;

function source(kind: SourceKind, schema: Type.TSchema, columns: readonly Column[]): Kind {
  const { shortNames } = SOURCE_KINDS[kind];
  return {
    ...{ resource: SOURCE_RESOURCES[kind], schema, shortNames },
    ...{ categories: SOURCES, columns: [...columns, ...FLUX_COLUMNS] },
  };
}

const CHART_COLUMNS = [
  text('Chart', '.spec.chart'),
  text('Version', '.spec.version'),
  text('Source Kind', '.spec.sourceRef.kind'),
  text('Source Name', '.spec.sourceRef.name'),
];

const APPLICATION_COLUMNS = [
  text('Kind', '.status.kind'),
  text('Ready', '.status.summary.ready'),
  text('Revision', '.status.revision'),
  AGE,
  text('Source', '.spec.fluxApp.spec.source.sourceRef.name', WIDE),
  text('Chart', '.spec.fluxApp.spec.config.helmRelease.chart.chart', WIDE),
  text('Template', '.status.template', WIDE),
  ready('Message', 'message'),
];

const GRANT_COLUMNS = [
  ready('Ready', 'status'),
  count('Clusters', '.status.clusterCount'),
  count('Namespaces', '.status.namespaceCount'),
  AGE,
  ready('Message', 'message'),
];

const TEMPLATE_COLUMNS = [
  ready('Ready', 'status'),
  count('Revision', '.status.revision'),
  count('Used By', '.status.usedBy'),
  AGE,
  text('Source', '.spec.sourceRef.name', WIDE),
  ready('Message', 'message'),
];

function template(resource: ResourceType, schema: Type.TSchema, shortName: string, columns: Column[]): Kind {
  return {
    resource,
    schema,
    shortNames: [shortName],
    categories: OWN,
    columns: [...columns, ...TEMPLATE_COLUMNS],
  };
}

/** Every kind that Fairlead installs. */
export const KINDS: readonly Kind[] = [
  {
    resource: applicationResource,
    schema: Application,
    shortNames: ['gapp'],
    categories: OWN,
    columns: APPLICATION_COLUMNS,
  },
  template(helmTemplateResource, HelmTemplate, 'ht', [
    text('Chart', '.spec.chart.chart'),
    text('Version', '.status.chartVersion'),
  ]),
  template(kustomizationTemplateResource, KustomizationTemplate, 'kt', [text('Path', '.spec.path')]),
  {
    resource: clusterGrantResource,
    schema: ClusterGrant,
    shortNames: ['cgrant'],
    categories: OWN,
    columns: GRANT_COLUMNS,
  },
  {
    resource: helmReleaseResource,
    schema: HelmRelease,
    shortNames: ['hr'],
    categories: APPLIERS,
    columns: FLUX_COLUMNS,
  },
  {
    resource: kustomizationResource,
    schema: Kustomization,
    shortNames: ['ks'],
    categories: APPLIERS,
    columns: FLUX_COLUMNS,
  },
  source('GitRepository', GitRepository, [URL_COLUMN]),
  source('HelmRepository', HelmRepository, [URL_COLUMN]),
  source('HelmChart', HelmChart, CHART_COLUMNS),
  source('OCIRepository', OCIRepository, [URL_COLUMN]),
  source('ExternalArtifact', ExternalArtifact, [text('Source', '.spec.sourceRef.name')]),
  source('Bucket', Bucket, [text('Endpoint', '.spec.endpoint')]),
  {
    resource: receiverResource,
    schema: Receiver,
    shortNames: [],
    categories: ['fluxcd', 'fluxcd-notifications'],
    columns: FLUX_COLUMNS,
  },
];
