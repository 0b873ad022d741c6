import jsonPatch from 'fast-json-patch';
import pick from 'lodash/pick.js';
import type { ManagedFieldsEntry, Unstructured } from '#api/meta.js';
import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import { parseJson } from '#controllers/runtime/pure/lossless-json.js';
import { isMap, type PlainMap } from '#controllers/runtime/pure/plain.js';

/** The steps of a JSON pointer; undefined for a text that is none, which ignores nothing, as in Flux. */
function stepsOf(pointer: string): readonly string[] | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined;
  return pointer.split('/').slice(1).map(jsonPatch.unescapePathComponent);
}

function allSteps(pointers: readonly string[]): (readonly string[])[] {
  return pointers.flatMap((pointer) => {
    const steps = stepsOf(pointer);
    return steps === undefined ? [] : [steps];
  });
}

/** Own fields only: users write the paths, and what all objects inherit is shared by the whole process. */
function own(container: PlainMap, key: string): unknown {
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

/** What is at a step; undefined for nothing. */
function childOf(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value[Number(step)] as unknown;
  return isMap(value) ? own(value, step) : undefined;
}

/** The map with another value for a key, or without it. */
function withChild(map: PlainMap, key: string, child: unknown): PlainMap {
  const entries = Object.entries(map).map(([name, value]): [string, unknown] => [name, name === key ? child : value]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** `fieldsV1`, or a part of it: an empty one owns the field as a whole. */
type Fields = PlainMap;

function isLeaf(fields: Fields): boolean {
  return Object.keys(fields).length === 0;
}

/** As `fieldsV1` names the items of a list: by some of their fields, or by their value. */
function partsOfItems(fields: Fields): (item: unknown) => string | undefined {
  const byNames = new Map<string, { readonly names: readonly string[]; readonly parts: Map<string, string> }>();
  const byValue = new Map<string, string>();
  for (const part of Object.keys(fields)) {
    const key = part.startsWith('k:') || part.startsWith('v:') ? parseJson(part.slice(2)) : undefined;
    if (part.startsWith('v:')) byValue.set(canonicalJson(key), part);
    if (!part.startsWith('k:') || !isMap(key)) continue;
    const names = Object.keys(key);
    const known = byNames.get(names.join()) ?? { names, parts: new Map<string, string>() };
    byNames.set(names.join(), known);
    known.parts.set(canonicalJson(key), part);
  }
  return (item) => {
    if (!isMap(item)) return byValue.get(canonicalJson(item));
    const found = [...byNames.values()].map(({ names, parts }) => parts.get(canonicalJson(pick(item, names))));
    return found.find((part) => part !== undefined);
  };
}

/** As `fieldsV1` writes a step from `value`; undefined where it has none. */
function partsOf(fields: Fields, value: unknown): (step: string) => string | undefined {
  if (!Array.isArray(value)) return (step) => `f:${step}`;
  const partOf = partsOfItems(fields);
  return (step) => partOf(childOf(value, step));
}

/** What an owner has at a step; what it owns as a whole it also owns below. */
function fieldsBelow(fields: Fields, value: unknown): (step: string) => Fields[] {
  if (isLeaf(fields)) return () => [fields];
  const partOf = partsOf(fields, value);
  return (step) => {
    const part = partOf(step);
    const below = part === undefined ? undefined : own(fields, part);
    return isMap(below) ? [below] : [];
  };
}

/** A place in an object: what is wanted, what is live, and what other appliers own of it. */
interface Place {
  readonly wanted: unknown;
  readonly live: unknown;
  readonly others: readonly Fields[];
}

function nameOf(item: unknown): unknown {
  return isMap(item) ? own(item, 'name') : undefined;
}

function areNamed(list: unknown): list is readonly PlainMap[] {
  return Array.isArray(list) && list.every((item) => typeof nameOf(item) === 'string');
}

function placesBelow({ live, others }: Place): (wanted: unknown, step: string) => Place {
  const owners = others.map((fields) => fieldsBelow(fields, live));
  return (wanted, step) => ({ wanted, live: childOf(live, step), others: owners.flatMap((below) => below(step)) });
}

function settledItems(place: Place, wanted: readonly PlainMap[], live: readonly PlainMap[]): unknown[] {
  const placeOf = placesBelow(place);
  const indexes = new Map(live.map((item, index) => [nameOf(item), index]));
  const items = wanted.map((item) => settled(placeOf(item, String(indexes.get(nameOf(item))))));
  return items.filter((item) => item !== undefined);
}

/**
 * What is applied at an ignored place: of each value that the source sets, the live one; nothing where it is gone, or
 * where another applier keeps it. What the source does not set is left to others.
 */
function settled(place: Place): unknown {
  const { wanted, live, others } = place;
  if (live === undefined) return undefined;
  if (isMap(wanted) && isMap(live)) {
    const placeOf = placesBelow(place);
    const fields = Object.entries(wanted).map(([key, value]) => [key, settled(placeOf(value, key))] as const);
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  }
  if (areNamed(wanted) && areNamed(live)) return settledItems(place, wanted, live);
  if (canonicalJson(wanted) === canonicalJson(live)) return wanted;
  return others.some(isLeaf) ? undefined : live;
}

/** Lists of named things may have grown in front: the element is looked for by its name. */
function indexIn(wanted: readonly unknown[], live: readonly unknown[], step: string): number {
  const name = nameOf(live[Number(step)]);
  return name === undefined ? Number(step) : wanted.findIndex((item) => nameOf(item) === name);
}

/** The wanted value with what is applied at the steps below it. */
function resolved(place: Place, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return settled(place);
  const { wanted, live } = place;
  if (Array.isArray(wanted) && Array.isArray(live)) {
    const index = indexIn(wanted, live, step);
    const child: unknown = wanted[index];
    if (child === undefined) return wanted;
    const item = resolved(placesBelow(place)(child, step), rest);
    return wanted.flatMap((each: unknown, at) => (at !== index ? [each] : item === undefined ? [] : [item]));
  }
  if (!isMap(wanted) || !Object.hasOwn(wanted, step)) return wanted;
  return withChild(wanted, step, resolved(placesBelow(place)(wanted[step], step), rest));
}

function otherAppliers({ metadata }: Unstructured, manager: string): Fields[] {
  const others = (metadata.managedFields ?? []).filter(
    (entry) => entry.operation === 'Apply' && entry.manager !== manager && (entry.subresource ?? '') === '',
  );
  return others.map(({ fieldsV1 }) => fieldsV1).filter(isMap);
}

/** Fields that may differ: JSON pointers, and the field manager that applies the others. */
export interface IgnoredFields {
  readonly pointers: readonly string[];
  readonly manager: string;
}

/**
 * `desired` with what is applied at ignored fields of a live object, so that their values stay: as in Flux, those that
 * others apply are left to them, and the others are applied as they are live.
 */
export function withIgnored(
  desired: Unstructured,
  live: Unstructured,
  { pointers, manager }: IgnoredFields,
): Unstructured {
  const others = otherAppliers(live, manager);
  const paths = allSteps(pointers).filter((steps) => steps.length > 0);
  // An object stays one: no step below its root takes it away.
  return paths.reduce((wanted, steps) => resolved({ wanted, live, others }, steps) as Unstructured, desired);
}

/** Without what is at the steps; undefined when nothing is left. */
function valueWithout(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return undefined;
  const child = childOf(value, step);
  if (child === undefined) return value;
  const left = valueWithout(child, rest);
  // The place of an item stays.
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === Number(step) ? (left ?? null) : item));
  const map = withChild(value as PlainMap, step, left); // it has a child, and is no list
  return Object.keys(map).length === 0 ? undefined : map;
}

/** Without what is owned at the steps; undefined when nothing is left, or when it is owned together with the rest. */
function fieldsWithout(fields: Fields, value: unknown, [step, ...rest]: readonly string[]): Fields | undefined {
  if (step === undefined || isLeaf(fields)) return undefined;
  const part = partsOf(fields, value)(step);
  const below = part === undefined ? undefined : own(fields, part);
  if (part === undefined || !isMap(below)) return fields;
  const map = withChild(fields, part, fieldsWithout(below, childOf(value, step), rest));
  return isLeaf(map) ? undefined : map;
}

function entryWithout(
  entry: ManagedFieldsEntry,
  object: Unstructured,
  paths: readonly (readonly string[])[],
): ManagedFieldsEntry[] {
  let fields = isMap(entry.fieldsV1) ? entry.fieldsV1 : undefined;
  for (const steps of paths) fields = fields && fieldsWithout(fields, object, steps);
  return fields === undefined ? [] : [{ ...entry, fieldsV1: fields }];
}

/** An object as it is compared: without ignored fields (JSON pointers), and without who owns them. */
export function withoutIgnored(object: Unstructured, pointers: readonly string[]): Unstructured {
  const paths = allSteps(pointers);
  if (paths.length === 0) return object;
  const left = paths.reduce<unknown>(valueWithout, object);
  const { apiVersion, kind, metadata } = object;
  const managedFields = metadata.managedFields?.flatMap((entry) => entryWithout(entry, object, paths));
  const fields = isMap(left) ? left : {};
  const rest = isMap(fields['metadata']) ? fields['metadata'] : {};
  const named = { ...rest, name: metadata.name, ...(managedFields === undefined ? {} : { managedFields }) };
  return { ...fields, apiVersion, kind, metadata: named };
}
