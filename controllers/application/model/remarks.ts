import type { Application } from '../../../api/v1alpha1/application.js';
import { listed } from '../../runtime/pure/listed.js';
import { describeObject } from '../../runtime/pure/urls.js';
import { helmReleaseOf, sourceOf } from './flux-spec.js';

/** What there is left to choose of a chart that a source only leads to. */
const CHOICES = [
  'version',
  'reconcileStrategy',
  'valuesFiles',
  'ignoreMissingValuesFiles',
  'verify',
  'interval',
] as const;

function ignoredOfChart(application: Application): string | undefined {
  const source = sourceOf(application);
  const chart = helmReleaseOf(application)?.chart;
  if (source?.kind !== 'OCIRepository' || chart === undefined) return undefined;
  const given = CHOICES.filter((field) => chart[field] !== undefined).map((field) => `chart.${field}`);
  if (given.length === 0) return undefined;
  const namespace = source.namespace ?? application.metadata.namespace;
  const object = describeObject(source.kind, { name: source.name, namespace });
  return `${listed(given, CHOICES.length)} ignored, ${object} is the chart itself`;
}

/**
 * What the user should know beside whatever Ready says: fields that are given in vain. `application` is the one with its
 * templates laid under its entries, `others` what else is to be said. Never throws.
 */
export function remarksOf(application: Application, ...others: readonly (string | undefined)[]): string | undefined {
  const remarks = [...others, ignoredOfChart(application)].filter((each) => each !== undefined);
  return remarks.length === 0 ? undefined : remarks.join('; ');
}
