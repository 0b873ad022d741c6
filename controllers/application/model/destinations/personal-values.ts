import isEqual from 'lodash/isEqual.js';
import memoize from 'lodash/memoize.js';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import { defined, isMap } from '#lib/plain.js';
import type { Cluster } from '../../../cluster/model/cluster.js';
import { backendOf } from '../backends/index.js';
import { inOrder, type Layer, mergeEntry, mergeNamed, type NamedLayer } from '../child/layers.js';
import type { Child, Entry, Gate, Hold, ValuesLayers, Violation } from '../child/types.js';
import { normalEntry } from '../spec/flux-spec.js';
import { type CelText, celTexts, type CelValues, withValuesAt } from './cel-values.js';

/** Where values are from that the entry states. */
const ENTRY = 'entry';
/** Where values are from that a template rendered. */
const RENDERED = 'valuesTemplate';

const FIELD = ['values'];

/** Values whose expressions are not evaluated yet. */
export interface Composed {
  readonly values: unknown;
  readonly texts: readonly CelText[];
}

/** The layers of an entry, which are merged as far as no cluster is needed. */
export function valuesLayers({ entry, overrides, ...more }: Omit<ValuesLayers, 'merged'>): ValuesLayers {
  return { ...more, entry, overrides, merged: mergeEntry({ entry: [{ origin: ENTRY, layer: entry }], overrides }) };
}

/** The layers of an entry on one cluster; `entry`: itself, and what lies below it. */
function layersOn(
  entry: readonly NamedLayer[],
  overrides: readonly NamedLayer[],
  values: Layer | undefined,
): NamedLayer[] {
  const rendered = values === undefined ? [] : [{ origin: RENDERED, layer: { values } }];
  return inOrder({ entry, rendered, overrides });
}

function valuesOf({ origin, layer }: NamedLayer): NamedLayer {
  return { origin, layer: pick(layer, FIELD) };
}

type FindTexts = (values: unknown) => readonly CelText[];

function composedOf(layers: ValuesLayers, rendered: Layer | undefined, textsOf: FindTexts): Composed | undefined {
  const { entry, overrides } = layers;
  // Rendered values hold no expressions: labels could bring them in.
  const own = [{ origin: ENTRY, layer: entry }, ...overrides];
  const stated = own.map(({ origin, layer }) => ({ origin, texts: textsOf(layer['values']) }));
  if (rendered === undefined && stated.every(({ texts }) => texts.length === 0)) return undefined;
  const [below, ...above] = own.map(valuesOf);
  // As large as the values, so it is not kept.
  const { merged, provenance } = mergeNamed(layersOn(below ? [below] : [], above, rendered));
  const texts = stated.flatMap(({ origin, texts: all }) =>
    all.filter(({ path }) => provenance.at([...FIELD, ...path]) === origin),
  );
  return { values: merged['values'], texts };
}

/** The values of an entry with what its template rendered to; undefined if they are what its fields have. */
export type Compose = (layers: ValuesLayers, rendered: Layer | undefined) => Composed | undefined;

/** Composes the values of one pass. A thousand clusters may share a megabyte: its texts are found once. Never throws. */
export function createCompose(): Compose {
  const textsOf = memoize((values: unknown) => (isMap(values) ? celTexts(values) : []));
  const unrendered = memoize((layers: ValuesLayers) => composedOf(layers, undefined, textsOf));
  return (layers, rendered) => (rendered === undefined ? unrendered(layers) : composedOf(layers, rendered, textsOf));
}

/** The values with the results of their expressions. */
export function withResults({ values, texts }: Composed, results: readonly unknown[]): unknown {
  return withValuesAt(
    values,
    texts.map(({ path }, index) => [path, results[index]] as const),
  );
}

/** The facts that expressions read as `cluster`. */
export function celCluster({ id, labels, annotations, kubernetesVersion }: Cluster): object {
  const { name, namespace } = id;
  return { name, ...defined({ namespace, kubernetesVersion }), labels, annotations };
}

/** The text to evaluate for `ready` of an entry. */
export function readyText(ready: string): CelText {
  return { path: [], field: 'ready', text: `\${{ ${ready} }}` };
}

/** The meaning of the result of `ready` for an entry without a child; undefined: it may be installed. */
export function gateOf({ path, clusterName }: Entry, result: CelValues): Gate | undefined {
  if ('problem' in result) {
    const { problem, isInvalid = false } = result;
    if (!isInvalid) return { waits: `waiting for cluster ${clusterName}: ${problem}` };
    return { violation: { reason: 'ReadyInvalid', message: `${path}.${problem}` } };
  }
  const [value] = result.values;
  if (value === true) return undefined;
  if (value === false) return { waits: `waiting for cluster ${clusterName}: ready is false` };
  return { violation: { reason: 'ReadyInvalid', message: `${path}.ready: it must return true or false` } };
}

/** Why a new child of an entry waits for `ready`; undefined: it does not. */
export function waitsFor({ gate }: Entry): string | undefined {
  return gate !== undefined && 'waits' in gate ? gate.waits : undefined;
}

/**
 * Why nothing new is installed on a cluster whose object says that it is not ready; undefined: it is ready, nothing is
 * known, or the entry says itself when it is, by `ready`.
 */
export function whyClusterWaits({ cluster, clusterName, ready }: Entry): string | undefined {
  if (cluster === undefined || cluster.isHost || cluster.readiness.state !== 'NotReady' || ready !== undefined)
    return undefined;
  const { message } = cluster.readiness;
  const why = message === '' ? '' : `: ${message}`;
  return `waiting until cluster ${clusterName} is ready${why}; set ready: "true" to install without that`;
}

/** The hold of an entry without a child by its `ready`, or by its cluster; undefined: neither holds it. */
export function gateHold(entry: Entry): Hold | undefined {
  const why = waitsFor(entry);
  if (why !== undefined) return { reason: 'Gate', why };
  const whyCluster = whyClusterWaits(entry);
  return whyCluster === undefined ? undefined : { reason: 'ClusterNotReady', why: whyCluster };
}

/** The violation of `ready` of an entry; what is installed does not depend on it any more. */
export function gateViolation({ gate }: Entry, live: Child | undefined): Violation | undefined {
  return live === undefined && gate !== undefined && 'violation' in gate ? gate.violation : undefined;
}

type Path = readonly string[];

/** A value of an entry, and where it is from. */
export interface ExplainedValue {
  /** Keys of maps. A list is one value, because layers replace it as a whole; so is what an expression returned. */
  readonly path: Path;
  readonly value: unknown;
  /** A path in the spec, `KIND NAMESPACE/NAME@REVISION` of a template, or `default`. */
  readonly from: string;
  /** What the layer says, if it holds expressions. */
  readonly written?: unknown;
  /** What was there before, and where it was from. Of a map that replaced it, the first value has it. */
  readonly overrode?: { readonly value: unknown; readonly from: string };
}

/** Each value of a destination. */
export interface Explanation {
  /** Paths are below `values`. */
  readonly values: readonly ExplainedValue[];
  /** All other fields of the entry that its child gets. */
  readonly fields: readonly ExplainedValue[];
}

export interface ExplainQuestion {
  /** With its values as the child gets them. */
  readonly entry: Pick<Entry, 'specPath' | 'release' | 'fields' | 'values'>;
  /** From `entryLayers`. */
  readonly below: readonly NamedLayer[];
  /** What its template rendered to. */
  readonly rendered: Layer | undefined;
}

/** What a child does not get as it is; of the destination only the namespace is a choice of layers. */
const HIDDEN = ['values', 'valuesTemplate', 'overrides', 'template', 'name', 'destination'];

interface Leaf {
  readonly path: Path;
  readonly value: unknown;
  readonly written: unknown;
}

/** Characters of a path, which each leaf repeats: what lies below a longer one is one leaf. */
const MAX_PATH = 1_000;

/** What no layer merges any deeper. `written` has the same maps, but for what expressions made. */
function leavesOf(value: unknown, written: unknown, path: Path = [], length = 0): Leaf[] {
  if (length > MAX_PATH) return [{ path, value, written }];
  const keys = isMap(value) && isMap(written) ? Object.keys(value) : [];
  if (!isMap(value) || !isMap(written) || keys.length === 0) return [{ path, value, written }];
  return keys.flatMap((key) => leavesOf(value[key], written[key], [...path, key], length + key.length));
}

function found(tree: unknown, [key, ...rest]: Path): { readonly value: unknown } | undefined {
  if (key === undefined) return { value: tree };
  return isMap(tree) && Object.hasOwn(tree, key) ? found(tree[key], rest) : undefined;
}

/** The layers of one entry, which are called by their numbers while they are merged. */
class Layers {
  readonly #layers: readonly NamedLayer[];
  readonly #names: readonly string[];
  readonly #merged = new Map<number, ReturnType<typeof mergeNamed>>();

  constructor(layers: readonly NamedLayer[]) {
    this.#layers = layers.map(({ layer }, index) => ({ origin: String(index), layer }));
    this.#names = layers.map(({ origin }) => origin);
  }

  get merged(): Layer {
    return this.#below(this.#layers.length).merged;
  }

  /** The layer that decided a place; empty if none did. */
  fromOf(path: Path): string {
    return this.#nameAt(this.#layers.length, path);
  }

  /** What was there before; for the first place of what a layer set. */
  overrodeAt(path: Path, seen: Set<string>): ExplainedValue['overrode'] {
    const decision = this.#below(this.#layers.length).provenance.decision(path);
    if (decision === undefined) return undefined;
    const { origin, place } = decision;
    const key = JSON.stringify(place);
    if (seen.has(key)) return undefined;
    seen.add(key);
    const upper = Number(origin);
    const before = found(this.#below(upper).merged, place);
    return before === undefined ? undefined : { value: before.value, from: this.#nameAt(upper, place) };
  }

  #nameAt(count: number, path: Path): string {
    const origin = this.#below(count).provenance.at(path);
    return origin === undefined ? '' : (this.#names[Number(origin)] ?? '');
  }

  /** The first ones of them. */
  #below(count: number): ReturnType<typeof mergeNamed> {
    const known = this.#merged.get(count) ?? mergeNamed(this.#layers.slice(0, count));
    this.#merged.set(count, known);
    return known;
  }
}

/** The layer whose template of values counts: the last one that has one. */
function templateOrigin(layers: readonly NamedLayer[]): string {
  const last = layers.findLast(({ layer }) => typeof layer['valuesTemplate'] === 'string');
  return `${last?.origin ?? ''}.valuesTemplate`;
}

function layersOf({ entry, below, rendered }: ExplainQuestion): NamedLayer[] {
  const { specPath, values } = entry;
  const overrides = (values?.overrides ?? []).map(({ origin, layer }) => ({
    origin: `${specPath}.${origin}`,
    layer,
  }));
  const template = templateOrigin([...below, ...overrides]);
  return layersOn(below, overrides, rendered).map(({ origin, layer }) => ({
    origin: origin === RENDERED ? template : origin,
    layer,
  }));
}

/** The fields of the child that are not values, by the names that the entry has for them. */
function fieldsOf({ entry }: ExplainQuestion, merged: Layer): Layer {
  const destination = isMap(merged['destination']) ? pick(merged['destination'], 'targetNamespace') : {};
  const fields = normalEntry(backendOf(entry.release).entrySchema, omit(merged, HIDDEN));
  return { ...fields, ...(Object.keys(destination).length > 0 && { destination }) };
}

function explained(layers: Layers, leaves: readonly Leaf[], around: Path = []): ExplainedValue[] {
  const seen = new Set<string>();
  return leaves.map(({ path, value, written }) => {
    const place = [...around, ...path];
    const overrode = layers.overrodeAt(place, seen);
    const hasExpression = value !== written && !isEqual(value, written);
    return {
      ...{ path, value, from: layers.fromOf(place) },
      ...(hasExpression && { written }),
      ...(overrode !== undefined && { overrode }),
    };
  });
}

/**
 * Where each value of a destination is from. The values, put together by their paths, are those of the child. Never
 * throws.
 */
export function explain(question: ExplainQuestion): Explanation {
  const layers = new Layers(layersOf(question));
  const { merged } = layers;
  const { values } = question.entry.fields;
  const fields = fieldsOf(question, merged);
  return {
    values: values === undefined ? [] : explained(layers, leavesOf(values, merged['values']), ['values']),
    fields: Object.keys(fields).length === 0 ? [] : explained(layers, leavesOf(fields, fields)),
  };
}
