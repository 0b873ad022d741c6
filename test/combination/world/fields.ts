import isEqual from 'lodash/isEqual.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import type { KubeObject } from '#api/meta.js';

/**
 * The fields that a manager owns, as `fieldsV1` writes them. A leaf is an empty map. Lists are leaves, as they are
 * atomic in our CRDs, except for owner references and finalizers.
 */
export interface FieldSet {
  readonly [part: string]: FieldSet;
}

const LEAF: FieldSet = {};

/** Fields that the server sets itself, or that name the object. */
const NOT_OWNED = new Set([
  ...['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp'],
  ...['managedFields', 'generateName'],
]);

/** How an associative list names its items: by a key, or by their value. */
const LISTS: Readonly<Record<string, (item: unknown) => string>> = {
  ownerReferences: (item) => `k:${JSON.stringify({ uid: isMap(item) ? item['uid'] : '' })}`,
  finalizers: (item) => `v:${JSON.stringify(item)}`,
};

function fieldsBelow(value: unknown): FieldSet {
  if (!isMap(value)) return LEAF;
  return Object.fromEntries(Object.entries(value).map(([key, below]) => [`f:${key}`, fieldsBelow(below)]));
}

function fieldsOfMetadata(metadata: PlainMap): FieldSet {
  const fields: Record<string, FieldSet> = {};
  for (const [key, value] of Object.entries(metadata)) {
    if (NOT_OWNED.has(key)) continue;
    const keyOf = LISTS[key];
    if (keyOf === undefined) fields[`f:${key}`] = fieldsBelow(value);
    else if (Array.isArray(value)) {
      fields[`f:${key}`] = Object.fromEntries(value.map((item) => [keyOf(item), LEAF]));
    }
  }
  return fields;
}

/** Objects never change in place, and versions of one share the parts that did not change. */
const known = new WeakMap<PlainMap, FieldSet>();

function fieldsOfPart(value: unknown): FieldSet {
  if (!isMap(value)) return LEAF;
  const fields = known.get(value) ?? fieldsBelow(value);
  known.set(value, fields);
  return fields;
}

/** All fields that an object sets. */
export function fieldsOf(object: KubeObject): FieldSet {
  const fields: Record<string, FieldSet> = {};
  for (const [key, value] of Object.entries(object)) {
    if (key === 'apiVersion' || key === 'kind') continue;
    const below = key === 'metadata' ? fieldsOfMetadata(value as PlainMap) : fieldsOfPart(value);
    if (key !== 'metadata' || Object.keys(below).length > 0) fields[`f:${key}`] = below;
  }
  return fields;
}

function isLeaf(fields: FieldSet): boolean {
  return Object.keys(fields).length === 0;
}

/** The fields of either. */
export function union(one: FieldSet, other: FieldSet): FieldSet {
  if (one === other) return one;
  const all: Record<string, FieldSet> = { ...one };
  for (const [part, below] of Object.entries(other)) {
    const known = all[part];
    all[part] = known === undefined ? below : union(known, below);
  }
  return all;
}

/** The leaves of `one` that are not in `other`. */
export function minus(one: FieldSet, other: FieldSet): FieldSet {
  const left: Record<string, FieldSet> = {};
  for (const [part, below] of Object.entries(one)) {
    const removed = other[part];
    if (removed === undefined) left[part] = below;
    else if (removed !== below && !isLeaf(below)) {
      const rest = minus(below, removed);
      if (!isLeaf(rest)) left[part] = rest;
    }
  }
  return left;
}

function partOf(value: unknown, part: string, list: ((item: unknown) => string) | undefined): unknown {
  if (Array.isArray(value) && list !== undefined) return value.find((item) => list(item) === part);
  return isMap(value) && part.startsWith('f:') ? value[part.slice(2)] : undefined;
}

/** The leaves of `fields` whose values differ between two objects. */
export function differing(fields: FieldSet, before: unknown, after: unknown, name = ''): FieldSet {
  const found: Record<string, FieldSet> = {};
  const list = LISTS[name];
  for (const [part, below] of Object.entries(fields)) {
    const [old, now] = [partOf(before, part, list), partOf(after, part, list)];
    if (old === now) continue;
    if (isLeaf(below)) {
      if (!isEqual(old, now)) found[part] = below;
      continue;
    }
    const deeper = differing(below, old, now, part.slice(2));
    if (!isLeaf(deeper)) found[part] = deeper;
  }
  return found;
}

function withoutItems(items: readonly unknown[], fields: FieldSet, list: (item: unknown) => string): unknown[] {
  return items.filter((item) => fields[list(item)] === undefined);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || (isMap(value) && Object.keys(value).length === 0);
}

/** The value without these leaves, and without the maps that become empty by that. */
export function withoutFields(value: unknown, fields: FieldSet, name = ''): unknown {
  const list = LISTS[name];
  if (Array.isArray(value)) return list === undefined ? value : withoutItems(value, fields, list);
  if (!isMap(value)) return value;
  const result: Record<string, unknown> = { ...value };
  for (const [part, below] of Object.entries(fields)) {
    const key = part.slice(2);
    const rest = isLeaf(below) ? undefined : withoutFields(result[key], below, key);
    if (isEmpty(rest)) Reflect.deleteProperty(result, key);
    else result[key] = rest;
  }
  return result;
}

function mergedItems(live: readonly unknown[], applied: readonly unknown[], list: (item: unknown) => string) {
  const names = new Set(applied.map(list));
  return [...live.filter((item) => !names.has(list(item))), ...applied];
}

/** The live value with what is applied: maps merge, associative lists by item, everything else is replaced. */
export function appliedTo(live: unknown, applied: unknown, name = ''): unknown {
  const list = LISTS[name];
  if (Array.isArray(live) && Array.isArray(applied) && list !== undefined) return mergedItems(live, applied, list);
  if (!isMap(applied) || !isMap(live)) return applied;
  const result: Record<string, unknown> = { ...live };
  for (const [key, value] of Object.entries(applied)) result[key] = appliedTo(result[key], value, key);
  return result;
}
