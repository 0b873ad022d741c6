import omit from 'lodash/omit.js';
import type { RevisionSpec } from '#api/v1alpha1/template.js';
import { mergeLayers, type Layer } from '../layers.js';
import { helmSpecOf } from '../template-lookup.js';

/** What a template says of every entry. */
function layerOf(spec: RevisionSpec): Layer {
  const helm = helmSpecOf(spec);
  if (helm !== undefined) return { ...helm.deploy, values: helm.values };
  return 'path' in spec ? { ...spec.deploy, path: spec.path } : { ...spec.deploy };
}

/**
 * An entry laid over its template, and `more` over both. Merged layers have the form of their top one: a template has
 * fields of an entry only.
 */
export function mergeTemplate<Entry extends object>(spec: RevisionSpec, entry: Entry, more: Layer = {}): Entry {
  return mergeLayers(layerOf(spec), omit(entry, 'template'), more) as Entry;
}
