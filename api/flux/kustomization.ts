import type Type from 'typebox';
import type { KubeObject, ResourceType } from '../meta.js';
import {
  duration,
  flag,
  integer,
  list,
  namespaceName,
  object,
  objectName,
  oneOf,
  optional,
  text,
  textMap,
  time,
} from '../schema.js';
import { Inventory, KubeConfig, KUSTOMIZE_GROUP, statusFields, UNOBSERVED } from './common.js';
import { kustomizationFields } from './kustomization-fields.js';

export const kustomizationResource: ResourceType = {
  group: KUSTOMIZE_GROUP,
  version: 'v1',
  kind: 'Kustomization',
  plural: 'kustomizations',
  namespaced: true,
  hasSpec: true,
};

export const KustomizationSpec = object('The wanted objects.', {
  sourceRef: object('Where the files come from.', {
    apiVersion: optional(text('API version of the source.')),
    kind: oneOf('Kind of the source.', ['GitRepository', 'OCIRepository', 'Bucket', 'ExternalArtifact']),
    name: objectName('Name of the source.'),
    namespace: optional(namespaceName('Namespace of the source; the same by default.')),
  }),
  interval: duration('How often everything is checked and applied, e.g. 10m.'),
  prune: flag('True deletes objects that are no longer in the source.'),
  kubeConfig: optional(KubeConfig),
  targetNamespace: optional(namespaceName('Namespace of all objects; as in the files by default.')),
  ...kustomizationFields,
});
export type KustomizationSpec = Type.Static<typeof KustomizationSpec>;

const Outcome = object('One outcome.', {
  digest: text('Digest of the manifests.'),
  firstReconciled: time('When it first came about.'),
  lastReconciled: time('When it last came about.'),
  lastReconciledDuration: text('How long the last pass took.'),
  lastReconciledStatus: text('The reason of Ready then.'),
  totalReconciliations: integer('Passes with this outcome.'),
  metadata: optional(textMap('Revisions.')),
});

export const KustomizationStatus = object(
  'The state of the objects.',
  {
    ...statusFields,
    lastAppliedRevision: optional(text('Revision that was last applied.')),
    lastAppliedOriginRevision: optional(text('What the source says that revision was made of.')),
    lastAttemptedRevision: optional(text('Revision that was last tried.')),
    inventory: optional(Inventory),
    history: optional(list('Outcomes, newest first.', Outcome)),
  },
  { default: UNOBSERVED },
);
export type KustomizationStatus = Type.Static<typeof KustomizationStatus>;

export const Kustomization = object('The manifests of a source that are kept applied.', {
  spec: KustomizationSpec,
  status: optional(KustomizationStatus),
});
export interface Kustomization extends KubeObject {
  spec: KustomizationSpec;
  status?: KustomizationStatus;
}
