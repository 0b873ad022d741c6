import type { KustomizationSpec } from '#api/flux/kustomization.js';
import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import { isMap } from '#controllers/runtime/pure/plain.js';
import { digestOf } from '#controllers/runtime/pure/digest.js';
import { originText } from '../lock/copy-name.js';
import type { Layer } from '../layers.js';
import { directoryOf, filesText } from './match-files.js';
import type { Child, Entry } from '../types.js';

/**
 * Further fields of a Kustomization that decide which objects come out of it. All others are about when and how these
 * are applied, or change what is in them (images, metadata, keys) and neither add nor rename one: two Kustomizations
 * that differ there keep the same objects, and one that prunes them would take them from the other.
 */
const DECIDING = [
  'namePrefix',
  'nameSuffix',
  'patches',
  'components',
  'postBuild',
] as const satisfies readonly (keyof KustomizationSpec)[];

/**
 * Fields that can rename objects. Patches rarely do: two Kustomizations that differ only in patches would prune the
 * same objects.
 */
const RENAMING = DECIDING.filter((name) => name !== 'patches');

/** Left out, null, false and empty are one: a server may fill in any of them. An empty text is a value of variables. */
function isUnsaid(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === false || (isMap(value) && Object.keys(value).length === 0);
}

/** The value without what might as well be left out. */
function stated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stated);
  if (!isMap(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, stated(field)] as const);
  return Object.fromEntries(fields.filter(([, field]) => !isUnsaid(field)));
}

function nameText(name: unknown): unknown {
  return typeof name === 'string' ? originText(name) : name;
}

/** The source regardless of how its kind is versioned, and of the commit or digest that it is held at. */
function sourceText(sourceRef: unknown, namespace: string | undefined): unknown {
  const source = isMap(sourceRef) ? sourceRef : {};
  return { kind: source['kind'], name: nameText(source['name']), namespace: source['namespace'] ?? namespace };
}

function decidingFields(spec: Layer, names: readonly string[] = DECIDING): unknown {
  return stated(Object.fromEntries(names.map((name) => [name, spec[name]])));
}

/**
 * A cache: indexes and mappings ask on every event, and variables may be long. A child's spec is never changed in
 * place.
 */
const targets = new WeakMap<Child['spec'], string>();

/** The same text for two Kustomizations that build the same objects from the same files, on any cluster. */
export function filesTarget({ spec, metadata }: Pick<Child, 'spec' | 'metadata'>): string {
  const known = targets.get(spec);
  if (known !== undefined) return known;
  const source = sourceText(spec['sourceRef'], metadata.namespace);
  const text = digestOf([spec.targetNamespace ?? null, directoryOf(spec), source, decidingFields(spec, RENAMING)]);
  targets.set(spec, text);
  return text;
}

/** Equal for an entry and a Kustomization that make the same of the files that they read, in the same place. */
export function entryObjectsText(entry: Pick<Entry, 'kubeConfig' | 'targetNamespace' | 'fields'>): string {
  return canonicalJson([filesText(entry), decidingFields(entry.fields)]);
}

/** See `entryObjectsText`. */
export function liveObjectsText({ spec }: Child): string {
  return entryObjectsText({ kubeConfig: spec.kubeConfig, targetNamespace: spec.targetNamespace, fields: spec });
}

/** See `objectsText`; undefined for an entry that reads the source of its Application. */
export function entryWorkText(entry: Pick<Entry, 'kubeConfig' | 'targetNamespace' | 'fields'>): string | undefined {
  const sourceRef = entry.fields['sourceRef'];
  return sourceRef === undefined
    ? undefined
    : canonicalJson([entryObjectsText(entry), sourceText(sourceRef, undefined)]);
}

/** Equal for two Kustomizations of which the same objects come out, in the same place. */
export function objectsText(child: Child): string {
  return canonicalJson([liveObjectsText(child), sourceText(child.spec['sourceRef'], child.metadata.namespace)]);
}
