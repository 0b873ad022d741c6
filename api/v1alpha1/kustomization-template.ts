import omit from 'lodash/omit.js';
import type Type from 'typebox';
import { kustomizationFields } from '../flux/kustomization-fields.js';
import { kindsFor } from '../flux/source-kinds.js';
import { resourceType, type KubeObject } from '../meta.js';
import { duration, flag, object, optional, text } from '../schema.js';
import { GITOPS_GROUP } from './labels.js';
import { SharedWith, templateSource, templateStatusFields } from './template-fields.js';

export const kustomizationTemplateResource = resourceType(
  `${GITOPS_GROUP}/v1alpha1`,
  'KustomizationTemplate',
  'kustomizationtemplates',
  { hasSpec: true },
);

const deployDefaults = omit(kustomizationFields, ['path', 'suspend']);

export const KustomizationTemplateSpec = object('Files, and the defaults for applying them.', {
  sourceRef: templateSource(kindsFor('applications', 'files')),
  path: optional(text('Directory in the source. Default: its root.', { maxLength: 4_096 })),
  deploy: optional(
    object('Defaults of kustomization entries; fields of an entry override them.', {
      interval: optional(duration('Interval at which the files are reconciled. Default: 10m.')),
      prune: optional(flag('If true, objects that are no longer in the source are deleted. Default: true.')),
      ...deployDefaults,
    }),
  ),
  sharedWith: optional(SharedWith),
});
export type KustomizationTemplateSpec = Type.Static<typeof KustomizationTemplateSpec>;

/** Proven manifests that other Applications use by name. */
export const KustomizationTemplate = object('Reusable manifests with defaults.', {
  spec: KustomizationTemplateSpec,
  status: optional(object('Observed state of the template.', templateStatusFields)),
});
export type KustomizationTemplate = KubeObject & Type.Static<typeof KustomizationTemplate>;
