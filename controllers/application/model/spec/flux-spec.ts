import type Type from 'typebox';
import { FluxApplicationSpec, type SourceReference } from '#api/v1alpha1/application-spec.js';
import type { Application, HelmReleaseConfig } from '#api/v1alpha1/application.js';
import type { InlineSource } from '#api/v1alpha1/inline-source.js';
import { printJson } from '#lib/json/lossless-json.js';
import { isMap } from '#lib/plain.js';
import type { Layer } from '../child/layers.js';
import { withMadeSource } from './inline-source.js';

/** The engine that reconciles the children of an Application. */
export type Engine = NonNullable<Application['spec']['kind']>;

/** The engine in the spec; undefined if it is unclear. */
export function statedEngine(application: Application): Engine | undefined {
  const { kind, fluxApp, argoApp } = application.spec;
  if (kind !== undefined) return kind;
  if ((fluxApp === undefined) === (argoApp === undefined)) return undefined;
  return fluxApp === undefined ? 'argocd' : 'fluxcd';
}

/** The engine of an Application: the one in its status takes precedence over its spec. */
export function engineOf(application: Application): Engine | undefined {
  return application.status?.kind ?? statedEngine(application);
}

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

/** The normal form of a spec, and the same with the source that Fairlead makes, once somebody asks for it. */
interface Forms {
  readonly normal: FluxApplicationSpec;
  withSource?: FluxApplicationSpec;
}

/**
 * A cache: dozens of rules, indexes and mappings read the spec of an Application, of each on every event, and a spec
 * has thousands of entries. It is never changed in place.
 */
const formsBySpec = new WeakMap<FluxApplicationSpec, Forms>();

function formsOf(spec: FluxApplicationSpec): Forms {
  const known = formsBySpec.get(spec);
  if (known !== undefined) return known;
  // Only optional fields were removed: the result still matches the schema.
  const trimmed = withoutBlanks(spec, FluxApplicationSpec as Type.TSchema) as FluxApplicationSpec;
  const forms = { normal: withNamedFiles(withOnePatchField(trimmed)) };
  formsBySpec.set(spec, forms);
  return forms;
}

/**
 * The normal form of a spec: optional fields with an empty string count as absent, as Go clients and forms send them,
 * and older fields for patches become `patches`. Open objects such as `values` are unchanged. Never throws.
 */
export function normalForm(spec: FluxApplicationSpec): FluxApplicationSpec {
  return formsOf(spec).normal;
}

/** The user's spec for the Flux engine, if any, in its normal form. */
export function statedSpecOf(application: Application): FluxApplicationSpec | undefined {
  const spec = application.spec.fluxApp?.spec;
  return spec === undefined ? undefined : normalForm(spec);
}

/** The same with a reference to the source that Fairlead creates, instead of `source.inline`. */
export function fluxSpecOf(application: Application): FluxApplicationSpec | undefined {
  const spec = application.spec.fluxApp?.spec;
  if (spec === undefined) return undefined;
  const forms = formsOf(spec);
  return (forms.withSource ??= withMadeSource(forms.normal));
}

/** The inline source of an Application, if any. */
export function inlineOf(application: Application): InlineSource | undefined {
  return statedSpecOf(application)?.source?.inline;
}

/** The source that the Application names, if any. */
export function sourceOf(application: Application): SourceReference | undefined {
  return fluxSpecOf(application)?.source?.sourceRef;
}

/** How, for the Flux engine. */
type Config = NonNullable<FluxApplicationSpec['config']>;

/** How the Application wants it, if it says. */
export function configOf(application: Application): Config | undefined {
  return fluxSpecOf(application)?.config;
}

/** The Helm part of the configuration, if any. */
export function helmReleaseOf(application: Application): HelmReleaseConfig | undefined {
  return configOf(application)?.helmRelease;
}

/** The entries of a kustomization, if any. */
export function kustomizationOf(application: Application): Config['kustomization'] {
  return configOf(application)?.kustomization;
}

/** The source with its namespace: a child must not depend on where it lies itself. */
export function sourceReference(application: Application): SourceReference | undefined {
  const source = sourceOf(application);
  const namespace = source?.namespace ?? application.metadata.namespace;
  return source === undefined || namespace === undefined ? source : { ...source, namespace };
}

/** The same Application with another part for the Flux engine. */
export function withFluxSpec(application: Application, spec: FluxApplicationSpec): Application {
  return { ...application, spec: { ...application.spec, fluxApp: { spec } } };
}

export const SPEC_PATH = 'spec.fluxApp.spec';
export const CONFIG_PATH = `${SPEC_PATH}.config`;
export const SOURCE_PATH = `${SPEC_PATH}.source`;
export const INLINE_PATH = `${SOURCE_PATH}.inline`;

/** A reference to a source, with its namespace. */
export interface SourcePlace {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Identifies a source: in indexes, and in what is recorded of it. */
export function sourceText({ kind, namespace, name }: SourcePlace): string {
  return `${kind}/${namespace}/${name}`;
}

/** The source that a field refers to, by default in the namespace `own`; none in what is no reference. */
export function placesIn(reference: unknown, own = ''): SourcePlace[] {
  if (!isMap(reference)) return [];
  const { kind, name, namespace } = reference;
  if (typeof kind !== 'string' || typeof name !== 'string') return [];
  return [{ kind, name, namespace: typeof namespace === 'string' && namespace !== '' ? namespace : own }];
}
