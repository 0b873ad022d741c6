import omit from 'lodash/omit.js';
import type Type from 'typebox';
import { kustomizationFields } from '../flux/kustomization-fields.js';
import type { KubeObject, ResourceType } from '../meta.js';
import { duration, flag, object, optional, text } from '../schema.js';
import { GITOPS_GROUP } from './labels.js';
import { SharedWith, templateSource, templateStatusFields } from './template-fields.js';

export const kustomizationTemplateResource: ResourceType = {
  group: GITOPS_GROUP,
  version: 'v1alpha1',
  kind: 'KustomizationTemplate',
  plural: 'kustomizationtemplates',
  namespaced: true,
  hasSpec: true,
};

const deployDefaults = omit(kustomizationFields, ['path', 'suspend']);

export const KustomizationTemplateSpec = object('Files, and how they are applied unless an entry says otherwise.', {
  sourceRef: templateSource(['GitRepository', 'OCIRepository', 'Bucket']),
  path: optional(text('Directory in the source; its root by default.', { maxLength: 4_096 })),
  deploy: optional(
    object('Defaults of kustomization entries; what an entry says wins.', {
      interval: optional(duration('How often the files are checked and applied; 10m by default.')),
      prune: optional(flag('True deletes objects that are no longer in the source.')),
      ...deployDefaults,
    }),
  ),
  sharedWith: optional(SharedWith),
});
export type KustomizationTemplateSpec = Type.Static<typeof KustomizationTemplateSpec>;

export const KustomizationTemplateStatus = object('State of the template.', { ...templateStatusFields });
export type KustomizationTemplateStatus = Type.Static<typeof KustomizationTemplateStatus>;

/** Manifests that proved themselves, for other Applications to use by name. */
export const KustomizationTemplate = object('A reusable choice of manifests, with defaults.', {
  spec: KustomizationTemplateSpec,
  status: optional(KustomizationTemplateStatus),
});
export interface KustomizationTemplate extends KubeObject {
  spec: KustomizationTemplateSpec;
  status?: KustomizationTemplateStatus;
}
