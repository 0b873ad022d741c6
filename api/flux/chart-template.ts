import { duration, flag, list, namespaceName, object, objectName, oneOf, optional, text, textMap } from '../schema.js';
import { SignatureCheck } from './common.js';

/** Which chart, without where from: shared by HelmRelease, HelmChart and Application. */
export const chartFields = {
  chart: text('Name of the chart, or its path in a Git or Bucket source.', { minLength: 1, maxLength: 2_048 }),
  version: optional(text('Version or semver range; any by default, ignored for Git and Bucket sources.')),
  reconcileStrategy: optional(
    oneOf('What makes a new chart: a new ChartVersion (default), or any new Revision of the source.', [
      'ChartVersion',
      'Revision',
    ]),
  ),
  valuesFiles: optional(list('Values files of the source, merged in order, instead of values.yaml.', text('Path.'))),
  ignoreMissingValuesFiles: optional(flag('True passes over values files that do not exist; false by default.')),
  verify: optional(SignatureCheck),
};

/** The chart of a HelmRelease; a HelmChart is made of it. */
export const ChartTemplate = object('The chart to install; a HelmChart is made of it.', {
  metadata: optional(
    object('Metadata of the HelmChart.', {
      labels: optional(textMap('Labels.')),
      annotations: optional(textMap('Annotations.')),
    }),
  ),
  spec: object('Which chart and from where.', {
    ...chartFields,
    interval: optional(duration('How often the chart is checked; as the release by default.')),
    sourceRef: object('Where the chart comes from.', {
      apiVersion: optional(text('API version of the source.')),
      kind: oneOf('Kind of the source.', ['HelmRepository', 'GitRepository', 'Bucket']),
      name: objectName('Name of the source.'),
      namespace: optional(namespaceName('Namespace of the source; the same by default.')),
    }),
  }),
});
