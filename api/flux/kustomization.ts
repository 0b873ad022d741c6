import type Type from 'typebox';
import { resourceType, type KubeObject } from '../meta.js';
import {
  duration,
  flag,
  integer,
  list,
  namespaceName,
  object,
  oneOf,
  optional,
  text,
  textMap,
  time,
} from '../schema.js';
import {
  dryRunField,
  Inventory,
  InventoryEntry,
  KubeConfig,
  KUSTOMIZE_GROUP,
  fluxStatus,
  referenceFields,
} from './common.js';
import { kustomizationFields } from './kustomization-fields.js';
import { kindsFor } from './source-kinds.js';

export const kustomizationResource = resourceType(`${KUSTOMIZE_GROUP}/v1`, 'Kustomization', 'kustomizations', {
  hasSpec: true,
});

export const KustomizationSpec = object('Desired state of the objects.', {
  sourceRef: object(
    'Where the files come from.',
    referenceFields('source', oneOf('Kind of the source.', kindsFor('files'))),
  ),
  interval: duration('Interval at which everything is reconciled, e.g. 10m.'),
  prune: flag('If true, objects that are no longer in the source are deleted.'),
  kubeConfig: optional(KubeConfig),
  targetNamespace: optional(namespaceName('Namespace of all objects. Default: as in the files.')),
  ...kustomizationFields,
});
export type KustomizationSpec = Type.Static<typeof KustomizationSpec>;

const Outcome = object('One result.', {
  digest: text('Digest of the manifests.'),
  firstReconciled: time('Time of the first reconciliation with this result.'),
  lastReconciled: time('Time of the last reconciliation with this result.'),
  lastReconciledDuration: text('Duration of the last reconciliation.'),
  lastReconciledStatus: text('Reason of Ready at that time.'),
  totalReconciliations: integer('Number of reconciliations with this result.'),
  metadata: optional(textMap('Revisions.')),
});

export const KustomizationStatus = fluxStatus('Observed state of the objects.', {
  lastAppliedRevision: optional(text('Last applied revision.')),
  lastAppliedOriginRevision: optional(text('Origin of that revision, as the source reports it.')),
  lastAttemptedRevision: optional(text('Last attempted revision.')),
  inventory: optional(Inventory),
  clusters: optional(list('Keys of the cluster of the inventory: its kubeconfig, its UID.', text('Key.'))),
  claims: optional(
    list('Objects of the files that it does not have yet, while it waits. Others leave them to it.', InventoryEntry),
  ),
  history: optional(list('Results, newest first.', Outcome)),
  ...dryRunField,
});
export type KustomizationStatus = Type.Static<typeof KustomizationStatus>;

export const Kustomization = object('Manifests of a source that are kept applied.', {
  spec: KustomizationSpec,
  status: optional(KustomizationStatus),
});
export type Kustomization = KubeObject & Type.Static<typeof Kustomization>;
