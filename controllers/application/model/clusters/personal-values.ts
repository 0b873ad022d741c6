import pick from 'lodash/pick.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import { isMap } from '#controllers/runtime/pure/plain.js';
import type { Layer } from '../layers.js';
import type { ValuesLayers } from '../types.js';
import { celTexts, withValuesAt, type CelText } from './cel-values.js';
import { mergeNamed, type NamedLayer } from './provenance.js';

/** Where values are from that a template rendered. */
export const RENDERED = 'valuesTemplate';

const FIELD = ['values'];

/** Values whose expressions are not evaluated yet. */
export interface Composed {
  readonly values: unknown;
  readonly texts: readonly CelText[];
}

/** The layers of an entry on one cluster, the lowest first: `below`, what its template rendered to, and its overrides. */
export function layersOver(
  below: readonly NamedLayer[],
  overrides: readonly NamedLayer[],
  rendered: NamedLayer['layer'] | undefined,
): NamedLayer[] {
  const between = rendered === undefined ? [] : [{ origin: RENDERED, layer: { values: rendered } }];
  return [...below, ...between, ...overrides];
}

const known = new WeakMap<object, readonly CelText[]>();

/** The texts of a layer; found once, as a thousand clusters may share a megabyte. */
function textsOf({ values }: Layer): readonly CelText[] {
  if (!isMap(values)) return [];
  const texts = known.get(values) ?? celTexts(values);
  known.set(values, texts);
  return texts;
}

/** The values of an entry on one cluster; undefined if they are what its fields have. Never throws. */
export function composed({ entry, overrides }: ValuesLayers, rendered: Layer | undefined): Composed | undefined {
  const all = layersOver([{ origin: 'entry', layer: entry }], overrides, rendered).map(({ origin, layer }) => ({
    origin,
    layer: pick(layer, FIELD),
  }));
  // What a template rendered holds no expressions: labels could bring them in.
  const own = all.filter(({ origin }) => origin !== RENDERED);
  if (rendered === undefined && own.every(({ layer }) => textsOf(layer).length === 0)) return undefined;
  const { merged, provenance } = mergeNamed(all);
  const texts = own.flatMap(({ origin, layer }) =>
    textsOf(layer).filter(({ path }) => provenance.at([...FIELD, ...path]) === origin),
  );
  return { values: merged['values'], texts };
}

/** The values with the results of their expressions. */
export function withResults({ values, texts }: Composed, results: readonly unknown[]): unknown {
  return withValuesAt(
    values,
    texts.map(({ path }, index) => [path, results[index]] as const),
  );
}

const facts = new WeakMap<Cluster, object>();

/** What expressions read as `cluster`; made once for each state of the cluster. */
export function celCluster(cluster: Cluster): object {
  const known = facts.get(cluster);
  if (known !== undefined) return known;
  const { id, labels, annotations, kubernetesVersion } = cluster;
  const { name, namespace } = id;
  const made = { name, ...defined({ namespace, kubernetesVersion }), labels, annotations };
  facts.set(cluster, made);
  return made;
}
