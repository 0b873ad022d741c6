import omit from 'lodash/omit.js';
import type { RevisionSpec } from '#api/v1alpha1/template.js';
import type { NamedLayer } from '../clusters/provenance.js';
import { mergeLayers, type Layer } from '../layers.js';
import { helmSpecOf } from '../template-lookup.js';

/** What a template says of every entry. */
function layerOf(spec: RevisionSpec): Layer {
  const helm = helmSpecOf(spec);
  if (helm !== undefined) return { ...helm.deploy, values: helm.values };
  return 'path' in spec ? { ...spec.deploy, path: spec.path } : { ...spec.deploy };
}

/** What no entry can say otherwise: files are those of the template. */
function fixedLayerOf(spec: RevisionSpec): Layer {
  return helmSpecOf(spec) === undefined ? { sourceRef: spec.sourceRef } : {};
}

/** The layers of an entry that uses a template, the lowest first, by these names. */
export function layersWithTemplate(
  spec: RevisionSpec,
  entry: object,
  names: { readonly template: string; readonly entry: string },
): NamedLayer[] {
  return [
    { origin: names.template, layer: layerOf(spec) },
    { origin: names.entry, layer: omit(entry, 'template') },
    { origin: names.template, layer: fixedLayerOf(spec) },
  ];
}

/** An entry laid over its template. Merged layers have the form of their top one: a template has fields of an entry only. */
export function mergeTemplate<Entry extends object>(spec: RevisionSpec, entry: Entry): Entry {
  const layers = layersWithTemplate(spec, entry, { template: 'template', entry: 'entry' });
  return mergeLayers(...layers.map(({ layer }) => layer)) as Entry;
}
