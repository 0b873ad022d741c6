import { isMap, mergeMaps, type OnSet } from '#lib/plain.js';

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
function layOver(under: Layer, layer: Layer, onSet?: OnSet): Layer {
  return mergeMaps(under, withoutNulls(layer), onSet);
}

/** A layer, and what it is called. */
export interface NamedLayer {
  readonly origin: string;
  readonly layer: Layer;
}

/**
 * The layers of an entry from the lowest to the highest: a higher one wins, and nothing else decides which value wins.
 * Engines lay the result over what the chart and `valuesFrom` have.
 */
const ORDER = [
  // Constants of the backend.
  'defaults',
  // Fields that the Application sets for all of its entries.
  'application',
  'template',
  'entry',
  // Fields of a template that no entry can set otherwise.
  'fixed',
  // Values that `valuesTemplate` renders to on one cluster.
  'rendered',
  // Overrides for the cluster, in their order.
  'overrides',
] as const;

/** The layers of one entry, by their place in the order. */
export type EntryLayers = Readonly<Partial<Record<(typeof ORDER)[number], readonly NamedLayer[]>>>;

/** The layers in their order, the lowest first. */
export function inOrder(layers: EntryLayers): NamedLayer[] {
  return ORDER.flatMap((place) => layers[place] ?? []);
}

/** @internal The layers laid over each other, the last one wins. */
export function mergeLayers(...layers: readonly Layer[]): Layer {
  return layers.reduce((under, layer) => layOver(under, layer), {});
}

/** The layers of an entry laid over each other. */
export function mergeEntry(layers: EntryLayers): Layer {
  return mergeLayers(...inOrder(layers).map(({ layer }) => layer));
}

type Path = readonly string[];

/** A layer, and the place that it set. */
interface Decision {
  readonly origin: string;
  readonly place: Path;
}

/** Which layer decided each place of a merged tree. */
class Provenance {
  #origin: string | undefined;
  readonly #below = new Map<string, Provenance>();

  /** All of the place, with what is below it, is from `origin` now. */
  set([key, ...rest]: Path, origin: string): void {
    if (key === undefined) {
      this.#origin = origin;
      this.#below.clear();
      return;
    }
    const next = this.#below.get(key) ?? new Provenance();
    this.#below.set(key, next);
    next.set(rest, origin);
  }

  /** The layer that decided a place: the last one that set it, or something around it. */
  at(path: Path): string | undefined {
    return this.decision(path)?.origin;
  }

  /** The same, and what it set: the place, or something around it. */
  decision([key, ...rest]: Path, around: Path = []): Decision | undefined {
    const below = key === undefined ? undefined : this.#below.get(key)?.decision(rest, [...around, key]);
    return below ?? (this.#origin === undefined ? undefined : { origin: this.#origin, place: around });
  }
}

/** Layers laid over each other, and where each place is from. */
interface MergedLayers {
  readonly merged: Layer;
  readonly provenance: Provenance;
}

/** The layers laid over each other: the last one wins. */
export function mergeNamed(layers: readonly NamedLayer[]): MergedLayers {
  const provenance = new Provenance();
  const merged = layers.reduce<Layer>(
    (under, { origin, layer }) => layOver(under, layer, (path) => provenance.set(path, origin)),
    {},
  );
  return { merged, provenance };
}

/** A value at the end of a path; items of lists have their index as key. */
export interface Leaf {
  readonly path: Path;
  readonly value: unknown;
}

/** The scalars of a tree, and its empty maps and lists, in order. */
export function leavesOf(value: unknown, path: Path = []): Leaf[] {
  const inner = Array.isArray(value) || isMap(value) ? Object.entries(value) : [];
  if (inner.length === 0) return [{ path, value }];
  return inner.flatMap(([key, item]) => leavesOf(item, [...path, key]));
}
