import type { ExplainedDestination } from '#controllers/application/simulate.js';
import { type ExplainedValue, valuesLayers } from '#controllers/application/model/destinations/personal-values.js';
import { entriesOf, application } from '../../application/model/builders.js';
import { inventory, own, selecting } from '../../application/model/clusters/builders.js';

export const PATH = 'spec.fluxApp.spec.config.helmRelease.deploy[0]';

/** Destinations of one entry on clusters with these names. */
export function destinations(
  names: readonly string[],
  valuesOf: (name: string) => readonly ExplainedValue[],
  more: (name: string) => Partial<ExplainedDestination> = () => ({}),
): ExplainedDestination[] {
  const clusters = names.map((name) => own(name, { env: 'prod' }));
  const app = application([selecting({ env: 'prod' })]);
  return entriesOf(app, inventory(clusters)).map((entry) => ({
    entry: { ...entry, values: valuesLayers({ entry: {}, valuesTemplate: 'a: 1', overrides: [] }) },
    ...{ violation: undefined, unread: ['values.yaml of chart web'] },
    explanation: { fields: [], values: valuesOf(entry.clusterName) },
    ...more(entry.clusterName),
  }));
}

/** A value of the entry itself. */
export function value(path: string, of: unknown, more: Partial<ExplainedValue> = {}): ExplainedValue {
  return { path: [path], value: of, from: PATH, ...more };
}

/** Names of clusters. */
export const many = Array.from({ length: 1_000 }, (_, index) => `edge-${index}`);
