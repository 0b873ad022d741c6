import type Type from 'typebox';
import type { KubeObject, ResourceType } from '../meta.js';
import { duration, integer, list, namespaceName, object, objectName, oneOf, optional, text } from '../schema.js';
import { ChartTemplate } from './chart-template.js';
import { HELM_GROUP, Inventory, KubeConfig, statusFields, UNOBSERVED } from './common.js';
import { helmReleaseFields } from './helm-release-fields.js';
import { CompleteInstall, CompleteUpgrade } from './release-actions.js';
import { Snapshot } from './snapshot.js';

export const helmReleaseResource: ResourceType = {
  group: HELM_GROUP,
  version: 'v2',
  kind: 'HelmRelease',
  plural: 'helmreleases',
  namespaced: true,
  hasSpec: true,
};

const ChartReference = object('A chart that exists already.', {
  apiVersion: optional(text('API version of the object.')),
  kind: oneOf('Kind of the object.', ['OCIRepository', 'HelmChart', 'ExternalArtifact']),
  name: objectName('Name of the object.'),
  namespace: optional(namespaceName('Namespace of the object; the same by default.')),
});
type ChartReference = Type.Static<typeof ChartReference>;

export const HelmReleaseSpec = object(
  'The wanted release.',
  {
    chart: optional(ChartTemplate),
    chartRef: optional(ChartReference),
    interval: duration('How often the release is checked, e.g. 10m.'),
    kubeConfig: optional(KubeConfig),
    targetNamespace: optional(
      namespaceName('Namespace that the chart is installed in; that of this object by default.'),
    ),
    ...helmReleaseFields,
    install: optional(CompleteInstall),
    upgrade: optional(CompleteUpgrade),
  },
  {
    rules: [{ rule: 'has(self.chart) != has(self.chartRef)', message: 'give exactly one of chart and chartRef' }],
  },
);
export type HelmReleaseSpec = Type.Static<typeof HelmReleaseSpec>;

export const HelmReleaseStatus = object(
  'The state of the release.',
  {
    ...statusFields,
    helmChart: optional(text('<namespace>/<name> of the HelmChart that was made for the release.')),
    storageNamespace: optional(text('Namespace in which Helm keeps the history.')),
    history: optional(list('Revisions that the engine made, newest first.', Snapshot)),
    inventory: optional(Inventory),
    lastAttemptedGeneration: optional(integer('Generation of the last action.')),
    lastAttemptedRevision: optional(text('Chart version of the last action.')),
    lastAttemptedRevisionDigest: optional(text('Digest of the OCI artifact of the last action.')),
    lastAttemptedValuesChecksum: optional(text('Deprecated: see lastAttemptedConfigDigest.')),
    lastAttemptedConfigDigest: optional(text('Digest of the values of the last action.')),
    lastAttemptedReleaseAction: optional(oneOf('The last action.', ['install', 'upgrade'])),
    lastAttemptedReleaseActionDuration: optional(text('How long the last action took.')),
    lastReleaseRevision: optional(integer('Deprecated: see history.')),
    failures: optional(integer('Failures since the last success.')),
    installFailures: optional(integer("Failed installations that got as far as Helm's storage.")),
    upgradeFailures: optional(integer("Failed upgrades that got as far as Helm's storage.")),
    observedPostRenderersDigest: optional(text('Digest of the post renderers in use.')),
    observedCommonMetadataDigest: optional(text('Digest of commonMetadata in use.')),
    lastHandledForceAt: optional(text('Last value of the annotation reconcile.fluxcd.io/forceAt that was seen.')),
    lastHandledResetAt: optional(text('Last value of the annotation reconcile.fluxcd.io/resetAt that was seen.')),
  },
  { default: UNOBSERVED },
);
export type HelmReleaseStatus = Type.Static<typeof HelmReleaseStatus>;

export const HelmRelease = object('A Helm release that is kept as its spec says.', {
  spec: HelmReleaseSpec,
  status: optional(HelmReleaseStatus),
});
export interface HelmRelease extends KubeObject {
  spec: HelmReleaseSpec;
  status?: HelmReleaseStatus;
}
