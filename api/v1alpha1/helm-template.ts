import omit from 'lodash/omit.js';
import type Type from 'typebox';
import { chartFields } from '../flux/chart-template.js';
import { helmReleaseFields } from '../flux/helm-release-fields.js';
import type { KubeObject, ResourceType } from '../meta.js';
import { duration, object, openObject, optional, text } from '../schema.js';
import { GITOPS_GROUP } from './labels.js';
import { SharedWith, templateSource, templateStatusFields } from './template-fields.js';

export const helmTemplateResource: ResourceType = {
  group: GITOPS_GROUP,
  version: 'v1alpha1',
  kind: 'HelmTemplate',
  plural: 'helmtemplates',
  namespaced: true,
  hasSpec: true,
};

const deployDefaults = omit(helmReleaseFields, ['releaseName', 'storageNamespace', 'suspend', 'values']);

export const HelmTemplateSpec = object('A chart, and how it is released unless an entry says otherwise.', {
  sourceRef: templateSource(['HelmRepository', 'GitRepository', 'OCIRepository', 'Bucket']),
  chart: object('Which chart of the source.', {
    ...chartFields,
    interval: optional(duration('How often the chart is checked; 10m by default.')),
  }),
  values: optional(openObject('Default values; those of an entry win, and a null there deletes a key.')),
  valuesSchema: optional(openObject('JSON schema that the values of each entry must fit, defaults included.')),
  deploy: optional(
    object('Defaults of deploy entries; what an entry says wins.', {
      interval: optional(duration('How often the release is checked; 10m by default.')),
      ...deployDefaults,
    }),
  ),
  sharedWith: optional(SharedWith),
});
export type HelmTemplateSpec = Type.Static<typeof HelmTemplateSpec>;

export const HelmTemplateStatus = object('State of the template.', {
  ...templateStatusFields,
  chartVersion: optional(text('Newest chart version that a user of the newest revision runs.')),
});
export type HelmTemplateStatus = Type.Static<typeof HelmTemplateStatus>;

/** A chart that proved itself, for other Applications to use by name. */
export const HelmTemplate = object('A reusable choice of a Helm chart, with defaults.', {
  spec: HelmTemplateSpec,
  status: optional(HelmTemplateStatus),
});
export interface HelmTemplate extends KubeObject {
  spec: HelmTemplateSpec;
  status?: HelmTemplateStatus;
}
