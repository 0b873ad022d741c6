import pick from 'lodash/pick.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import { isMap } from '#controllers/runtime/pure/plain.js';
import type { Layer } from '../layers.js';
import type { ValuesLayers } from '../types.js';
import { celTexts, withValuesAt, type CelText } from './cel-values.js';
import { mayHoldExpression } from './cel-text.js';
import { leavesOf, mergeNamed, type NamedLayer, type Provenance } from './provenance.js';

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

const withExpressions = new WeakMap<object, boolean>();

/** Known for each layer, as most have none, and all clusters share them. */
function holdsExpressions({ values }: Layer): boolean {
  if (!isMap(values)) return false;
  const known =
    withExpressions.get(values) ??
    leavesOf(values).some(({ value }) => typeof value === 'string' && mayHoldExpression(value));
  withExpressions.set(values, known);
  return known;
}

/** The texts of values with expressions. What a template rendered holds none: labels could bring them in. */
function textsOf(values: unknown, provenance: Provenance): readonly CelText[] {
  return celTexts(values, (path) => provenance.at([...FIELD, ...path]) !== RENDERED);
}

const alike = new WeakMap<object, Composed>();

/** Entries without anything of their cluster have the same values on all clusters. */
function composedAlike(values: object): Composed {
  const known = alike.get(values) ?? { values, texts: celTexts(values) };
  alike.set(values, known);
  return known;
}

/** The values of an entry on one cluster; undefined if they are what its fields have. Never throws. */
export function composed(layers: ValuesLayers, rendered: Layer | undefined): Composed | undefined {
  const { entry, overrides } = layers;
  const all = layersOver([{ origin: 'entry', layer: entry }], overrides, rendered).map(({ origin, layer }) => ({
    origin,
    layer: pick(layer, FIELD),
  }));
  const own = all.filter(({ origin }) => origin !== RENDERED);
  if (rendered === undefined && !own.some(({ layer }) => holdsExpressions(layer))) return undefined;
  if (all.length === 1 && isMap(entry['values'])) return composedAlike(entry['values']);
  const { merged, provenance } = mergeNamed(all);
  const { values } = merged;
  return { values, texts: textsOf(values, provenance) };
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
