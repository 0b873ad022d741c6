import type Type from 'typebox';
import { createHash } from 'node:crypto';
import { resourceType, type KubeObject } from '../meta.js';
import { duration, integer, list, namespaceName, object, oneOf, optional, text } from '../schema.js';
import { ChartTemplate } from './chart-template.js';
import { dryRunField, HELM_GROUP, Inventory, KubeConfig, fluxStatus, referenceFields } from './common.js';
import { helmReleaseFields } from './helm-release-fields.js';
import { CompleteInstall, CompleteUpgrade } from './release-actions.js';
import { Snapshot } from './snapshot.js';
import { kindsFor } from './source-kinds.js';

/** Helm refuses longer release names: they end up in labels with a suffix. */
export const MAX_RELEASE_NAME = 53;
const KEPT = 40;
const HASH_LENGTH = 12;

/** A name that Helm accepts: longer ones keep 40 characters and gain 12 of their sha256, as Flux cuts them. */
export function shortenReleaseName(name: string): string {
  if (name.length <= MAX_RELEASE_NAME) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, KEPT)}-${hash}`;
}

export const helmReleaseResource = resourceType(`${HELM_GROUP}/v2`, 'HelmRelease', 'helmreleases', { hasSpec: true });

const ChartReference = object(
  'An existing chart.',
  referenceFields('object', oneOf('Kind of the object.', kindsFor('chartRefs'))),
);
type ChartReference = Type.Static<typeof ChartReference>;

export const HelmReleaseSpec = object(
  'Desired state of the release.',
  {
    chart: optional(ChartTemplate),
    chartRef: optional(ChartReference),
    interval: duration('Interval at which the release is reconciled, e.g. 10m.'),
    kubeConfig: optional(KubeConfig),
    targetNamespace: optional(
      namespaceName('Namespace to install the chart into. Default: the namespace of this object.'),
    ),
    ...helmReleaseFields,
    install: optional(CompleteInstall),
    upgrade: optional(CompleteUpgrade),
  },
  {
    rules: [{ rule: 'has(self.chart) != has(self.chartRef)', message: 'set exactly one of chart and chartRef' }],
  },
);
export type HelmReleaseSpec = Type.Static<typeof HelmReleaseSpec>;

export const HelmReleaseStatus = fluxStatus('Observed state of the release.', {
  helmChart: optional(text('<namespace>/<name> of the HelmChart that was created for the release.')),
  storageNamespace: optional(text('Namespace in which Helm keeps the history.')),
  uid: optional(text('UID of the HelmRelease at its last action. After a restore, it has another one.')),
  history: optional(list('Revisions made by the engine, newest first.', Snapshot)),
  inventory: optional(Inventory),
  lastAttemptedGeneration: optional(integer('Generation that was last attempted.')),
  lastAttemptedRevision: optional(text('Chart version that was last attempted.')),
  lastAttemptedRevisionDigest: optional(text('Digest of the OCI artifact that was last attempted.')),
  lastAttemptedValuesChecksum: optional(text('Deprecated: see lastAttemptedConfigDigest.')),
  lastAttemptedConfigDigest: optional(text('Digest of the values that were last attempted.')),
  lastAttemptedReleaseAction: optional(oneOf('The last action.', ['install', 'upgrade'])),
  lastAttemptedReleaseActionDuration: optional(text('Duration of the last action.')),
  lastReleaseRevision: optional(integer('Deprecated: see history.')),
  failures: optional(integer('Failures since the last success.')),
  installFailures: optional(integer("Failed installs that reached Helm's storage.")),
  upgradeFailures: optional(integer("Failed upgrades that reached Helm's storage.")),
  observedPostRenderersDigest: optional(text('Digest of the post renderers in use.')),
  observedCommonMetadataDigest: optional(text('Digest of commonMetadata in use.')),
  lastHandledForceAt: optional(text('Last value of the annotation reconcile.fluxcd.io/forceAt that was handled.')),
  lastHandledResetAt: optional(text('Last value of the annotation reconcile.fluxcd.io/resetAt that was handled.')),
  ...dryRunField,
});
export type HelmReleaseStatus = Type.Static<typeof HelmReleaseStatus>;

export const HelmRelease = object('A Helm release that is kept in the state that its spec describes.', {
  spec: HelmReleaseSpec,
  status: optional(HelmReleaseStatus),
});
export type HelmRelease = KubeObject & Type.Static<typeof HelmRelease>;
