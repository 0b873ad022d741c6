import type Type from 'typebox';
import { FluxApplicationSpec } from '#api/v1alpha1/application-spec.js';
import { printJson } from '../../runtime/pure/lossless-json.js';
import { isMap } from '../../runtime/pure/plain.js';
import type { Layer } from './layers.js';

/** The part of a schema that decides which strings are optional. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

const OVERRIDES = 'overrides';

function isBlank(value: unknown, name: string, { required = [] }: Schema): boolean {
  return value === '' && !required.includes(name);
}

/** Returns the map itself if nothing in it is blank, for caches by identity. */
function mapWithoutBlanks(value: Layer, schema: Schema, fields: Readonly<Record<string, Schema>>): Layer {
  const before = Object.entries(value);
  const after = before.flatMap(([name, each]) => {
    // An override may set a text to nothing: see `normalEntry`.
    const field = Object.hasOwn(fields, name) && name !== OVERRIDES ? fields[name] : undefined;
    if (field !== undefined && isBlank(each, name, schema)) return [];
    return [[name, field === undefined ? each : withoutBlanks(each, field)] as const];
  });
  const isSame = after.length === before.length && after.every(([, each], index) => each === before[index]?.[1]);
  return isSame ? value : Object.fromEntries(after);
}

function withoutBlanks(value: unknown, schema: Schema): unknown {
  const { properties, items } = schema;
  if (Array.isArray(value) && items !== undefined) {
    const after = value.map((each: unknown) => withoutBlanks(each, items));
    return after.every((each, index) => each === value[index]) ? value : after;
  }
  return isMap(value) && properties !== undefined ? mapWithoutBlanks(value, schema, properties) : value;
}

type Deploy = NonNullable<FluxApplicationSpec['config']['helmRelease']>['deploy'][number];
type PostRenderers = NonNullable<Deploy['postRenderers']>;
type Kustomize = NonNullable<PostRenderers[number]['kustomize']>;

/** In the order in which kustomize applies the three fields. */
function patchesOf({ patchesStrategicMerge = [], patches = [], patchesJson6902 = [] }: Kustomize) {
  return [
    ...patchesStrategicMerge.map((patch) => ({ patch: printJson(patch) })),
    ...patches,
    ...patchesJson6902.map(({ patch, target }) => ({ patch: printJson(patch), target })),
  ];
}

function withPatches(renderers: PostRenderers): PostRenderers {
  return renderers.map((renderer) => {
    const { patchesStrategicMerge, patchesJson6902, ...kustomize } = renderer.kustomize ?? {};
    if (renderer.kustomize === undefined || (patchesStrategicMerge ?? patchesJson6902) === undefined) return renderer;
    return { ...renderer, kustomize: { ...kustomize, patches: patchesOf(renderer.kustomize) } };
  });
}

/** The normal form of an entry with its overrides merged. */
export function normalEntry(schema: Type.TSchema, layer: Layer): Layer {
  const { postRenderers, ...trimmed } = withoutBlanks(layer, schema) as Layer & { postRenderers?: PostRenderers };
  return postRenderers === undefined ? trimmed : { ...trimmed, postRenderers: withPatches(postRenderers) };
}

/** Flux has one field for all patches; ks-devops used the two older fields. */
function withOnePatchField(spec: FluxApplicationSpec): FluxApplicationSpec {
  const { helmRelease } = spec.config;
  if (helmRelease?.deploy.some(({ postRenderers }) => postRenderers !== undefined) !== true) return spec;
  const deploy = helmRelease.deploy.map((entry) =>
    entry.postRenderers === undefined ? entry : { ...entry, postRenderers: withPatches(entry.postRenderers) },
  );
  return { ...spec, config: { ...spec.config, helmRelease: { ...helmRelease, deploy } } };
}

/** Forms send an empty string for an empty line. */
function withNamedFiles(spec: FluxApplicationSpec): FluxApplicationSpec {
  const { helmRelease } = spec.config;
  const chart = helmRelease?.chart;
  if (helmRelease === undefined || chart?.valuesFiles?.includes('') !== true) return spec;
  const valuesFiles = chart.valuesFiles.filter((file) => file !== '');
  return { ...spec, config: { ...spec.config, helmRelease: { ...helmRelease, chart: { ...chart, valuesFiles } } } };
}

/** Many rules need the normal form of the same spec, which is never changed in place. */
const normalForms = new WeakMap<FluxApplicationSpec, FluxApplicationSpec>();

/**
 * The normal form of a spec: optional fields with an empty string count as absent, as Go clients and forms send them,
 * and older fields for patches become `patches`. Open objects such as `values` are unchanged. Never throws.
 */
export function normalForm(spec: FluxApplicationSpec): FluxApplicationSpec {
  const found = normalForms.get(spec);
  if (found !== undefined) return found;
  // Only optional fields were removed: the result still matches the schema.
  const trimmed = withoutBlanks(spec, FluxApplicationSpec as Type.TSchema) as FluxApplicationSpec;
  const normal = withNamedFiles(withOnePatchField(trimmed));
  normalForms.set(spec, normal);
  return normal;
}
