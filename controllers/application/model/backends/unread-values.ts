import type { Application } from '#api/v1alpha1/application.js';
import { isMap } from '#controllers/runtime/pure/plain.js';
import { sourceOf } from '../flux-spec.js';
import type { Layer } from '../layers.js';
import type { Entry } from '../types.js';
import { chartFields } from './helm-chart.js';

function mapIn(layer: Layer, field: string): Layer {
  const value = layer[field];
  return isMap(value) ? value : {};
}

function textIn(layer: Layer, field: string): string {
  const value = layer[field];
  return typeof value === 'string' ? value : '';
}

function referenceText(reference: unknown): string[] {
  if (!isMap(reference)) return [];
  const path = textIn(reference, 'targetPath');
  const key = textIn(reference, 'valuesKey') || 'values.yaml';
  const place = path === '' ? '' : ` at ${path}`;
  return [`${key} of ${textIn(reference, 'kind')} ${textIn(reference, 'name')} (valuesFrom)${place}`];
}

/** What lies below the values of a release and is not in the Application: files of the chart, ConfigMaps and Secrets. */
export function unreadValues(application: Application, { fields }: Entry): string[] {
  const spec = mapIn(mapIn(chartFields(application), 'chart'), 'spec');
  const chart = textIn(spec, 'chart') || `${sourceOf(application)?.kind ?? ''} ${sourceOf(application)?.name ?? ''}`;
  const files = Array.isArray(spec['valuesFiles']) ? spec['valuesFiles'].map(String) : [];
  const names = files.length === 0 ? ['values.yaml'] : files;
  const references: unknown[] = Array.isArray(fields['valuesFrom']) ? fields['valuesFrom'] : [];
  return [...names.map((file) => `${file} of chart ${chart}`), ...references.flatMap(referenceText)];
}
