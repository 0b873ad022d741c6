import type Type from 'typebox';
import type { KubeObject } from '../meta.js';
import { duration, flag, list, object, objectName, oneOf, optional, text } from '../schema.js';
import { chartFields } from './chart-template.js';
import { Artifact, fluxStatus } from './common.js';
import { kindsFor, SOURCE_RESOURCES } from './source-kinds.js';

export const helmChartResource = SOURCE_RESOURCES.HelmChart;

export const HelmChartSpec = object('Desired state of the chart.', {
  ...chartFields,
  interval: duration('Interval at which the source is checked, e.g. 10m.'),
  suspend: optional(flag('If true, nothing is fetched; the last artifact stays available.')),
  sourceRef: object('Source of the chart, in the same namespace.', {
    apiVersion: optional(text('API version of the source.')),
    kind: oneOf('Kind of the source.', kindsFor('charts')),
    name: objectName('Name of the source.'),
  }),
});
export type HelmChartSpec = Type.Static<typeof HelmChartSpec>;

export const HelmChartStatus = fluxStatus('Observed state of the chart.', {
  artifact: optional(Artifact),
  url: optional(text('URL of the latest archive.')),
  observedSourceArtifactRevision: optional(text('Revision of the source that the chart was built from.')),
  observedChartName: optional(text('Name of the chart.')),
  observedValuesFiles: optional(list('Values files that were merged.', text('Path.'))),
});
export type HelmChartStatus = Type.Static<typeof HelmChartStatus>;

export const HelmChart = object('A chart, fetched and stored as an archive.', {
  spec: HelmChartSpec,
  status: optional(HelmChartStatus),
});
export type HelmChart = KubeObject & Type.Static<typeof HelmChart>;
