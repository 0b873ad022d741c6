import { duration, flag, list, object, oneOf, optional, text, textMap } from '../schema.js';
import { SignatureCheck, referenceFields } from './common.js';
import { kindsFor } from './source-kinds.js';

/** Fields of a chart except its source: shared by HelmRelease, HelmChart and Application. */
export const chartFields = {
  chart: text('Name of the chart, or its path in a Git or Bucket source.', { minLength: 1, maxLength: 2_048 }),
  version: optional(text('Version or semver range; ignored for Git and Bucket sources. Default: any version.')),
  reconcileStrategy: optional(
    oneOf('What counts as a new chart: ChartVersion (default), or any new Revision of the source.', [
      'ChartVersion',
      'Revision',
    ]),
  ),
  valuesFiles: optional(list('Values files in the source, merged in order. Default: values.yaml.', text('Path.'))),
  ignoreMissingValuesFiles: optional(flag('If true, missing values files are ignored. Default: false.')),
  verify: optional(SignatureCheck),
};

/** The chart of a HelmRelease; a HelmChart is created from it. */
export const ChartTemplate = object('Chart to install; a HelmChart is created from it.', {
  metadata: optional(
    object('Metadata of the HelmChart.', {
      labels: optional(textMap('Labels.')),
      annotations: optional(textMap('Annotations.')),
    }),
  ),
  spec: object('Chart and its source.', {
    ...chartFields,
    interval: optional(duration('Interval at which the chart is checked. Default: the interval of the release.')),
    sourceRef: object(
      'Where the chart comes from.',
      referenceFields('source', oneOf('Kind of the source.', kindsFor('charts'))),
    ),
  }),
});
