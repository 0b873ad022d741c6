import omit from 'lodash/omit.js';
import type Type from 'typebox';
import { chartFields } from '../flux/chart-template.js';
import { helmReleaseFields } from '../flux/helm-release-fields.js';
import { kindsFor } from '../flux/source-kinds.js';
import { resourceType, type KubeObject } from '../meta.js';
import { duration, object, openObject, optional, text } from '../schema.js';
import { GITOPS_GROUP } from './labels.js';
import { SharedWith, templateSource, templateStatusFields } from './template-fields.js';

export const helmTemplateResource = resourceType(`${GITOPS_GROUP}/v1alpha1`, 'HelmTemplate', 'helmtemplates', {
  hasSpec: true,
});

const deployDefaults = omit(helmReleaseFields, ['releaseName', 'storageNamespace', 'suspend', 'values']);

export const HelmTemplateSpec = object('A chart, and the defaults of its releases.', {
  sourceRef: templateSource(kindsFor('applications')),
  chart: object('Chart of the source.', {
    ...chartFields,
    interval: optional(duration('Interval at which the chart is checked. Default: 10m.')),
  }),
  values: optional(openObject('Default values; those of an entry override them, and a null deletes a key.')),
  valuesSchema: optional(openObject('JSON schema for the values of each entry, defaults included.')),
  deploy: optional(
    object('Defaults of deploy entries; fields of an entry override them.', {
      interval: optional(duration('Interval at which the release is reconciled. Default: 10m.')),
      ...deployDefaults,
    }),
  ),
  sharedWith: optional(SharedWith),
});
export type HelmTemplateSpec = Type.Static<typeof HelmTemplateSpec>;

export const HelmTemplateStatus = object('Observed state of the template.', {
  ...templateStatusFields,
  chartVersion: optional(text('Newest chart version that runs at a user of the latest revision.')),
});
export type HelmTemplateStatus = Type.Static<typeof HelmTemplateStatus>;

/** A proven chart that other Applications use by name. */
export const HelmTemplate = object('A reusable Helm chart with defaults.', {
  spec: HelmTemplateSpec,
  status: optional(HelmTemplateStatus),
});
export type HelmTemplate = KubeObject & Type.Static<typeof HelmTemplate>;
