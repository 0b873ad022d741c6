import type Type from 'typebox';
import { object, optional, text } from '../schema.js';

/** An item of `status.sources` */
export const FloatingSource = object(
  'Source or version range of the Application whose meaning changes, and what it means.',
  {
    kind: text('Kind of the source.'),
    namespace: text('Namespace of the source.'),
    name: text('Name of the source.'),
    chart: optional(text('Name of the chart.')),
    version: optional(text('Range of versions of the chart.')),
    interval: optional(text('Interval at which a newer version is looked for.')),
    revision: optional(text('What it means on all clusters of the rollout.')),
    available: optional(text('What it means now, if that waits for the end of the rollout.')),
    message: optional(text('Why it is not known what it means now.')),
  },
);
export type FloatingSource = Type.Static<typeof FloatingSource>;
