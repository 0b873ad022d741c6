import { isMap, mergeMaps, type OnSet } from '../../runtime/pure/plain.js';

/** A JSON object whose fields are layered. */
export type Layer = Readonly<Record<string, unknown>>;

/** Values may hold nulls that mean something to Helm; anywhere else an explicit null means "not set". */
function withoutNulls(layer: Layer): Layer {
  const kept = Object.entries(layer).filter(([, value]) => value !== null);
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key !== 'values' && isMap(value) ? withoutNulls(value) : value]),
  );
}

/**
 * A layer laid over what lies below it: maps merge, lists replace, an absent field takes nothing away. A null outside
 * `values` counts as absent; inside `values` it is kept, for it deletes a default of the chart. `onSet` is called for
 * each place that the layer decides.
 */
export function layOver(under: Layer, layer: Layer, onSet?: OnSet): Layer {
  return mergeMaps(under, withoutNulls(layer), onSet);
}

/** The layers laid over each other, the last one wins. */
export function mergeLayers(...layers: readonly Layer[]): Layer {
  return layers.reduce((under, layer) => layOver(under, layer), {});
}
