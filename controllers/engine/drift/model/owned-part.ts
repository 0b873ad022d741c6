import type { ManagedFieldsEntry } from '#api/meta.js';
import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import { parseJson } from '#controllers/runtime/pure/lossless-json.js';
import { isMap, type PlainMap } from '#controllers/runtime/pure/plain.js';

/** `fieldsV1`, or what it has below a place. Without parts, the place is owned as a whole, or as an empty one. */
type Fields = Readonly<PlainMap>;

/** Who owns what at a place of an object. */
export interface Owners {
  /** What one manager owns; undefined: nothing. */
  readonly own: Fields | undefined;
  /** What each manager owns that owns something, this one included. */
  readonly all: readonly Fields[];
}

/** As if the manager owned what is there: of something that nobody owns in parts. */
export const WHOLE: Owners = { own: {}, all: [] };

function hasParts(fields: Fields): boolean {
  return Object.keys(fields).length > 0;
}

function mapAt(fields: Fields, part: string): Fields[] {
  const below = Object.hasOwn(fields, part) ? fields[part] : undefined;
  return isMap(below) ? [below] : [];
}

/**
 * Who owns what of an object, as `manager` applies it in `apiVersion`. Where it has applied another version, the names
 * of its fields may be others: it is taken for the owner of everything.
 */
export function ownersOf(
  entries: readonly ManagedFieldsEntry[],
  { manager, apiVersion }: { readonly manager: string; readonly apiVersion: string },
): Owners {
  const own = entries.find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && (entry.subresource ?? '') === '',
  );
  if (own !== undefined && own.apiVersion !== apiVersion) return WHOLE;
  const known = entries.filter((entry) => entry.apiVersion === apiVersion);
  const fieldsOf = ({ fieldsV1 }: ManagedFieldsEntry): Fields[] => (isMap(fieldsV1) ? [fieldsV1] : []);
  return { own: own && fieldsOf(own)[0], all: known.flatMap(fieldsOf) };
}

/** Who owns what at a field of a map. What nobody owns in parts is applied as a whole. */
export function ownersOfField({ own, all }: Owners, key: string): Owners {
  if (!all.some(hasParts)) return WHOLE;
  const part = `f:${key}`;
  return { own: own && mapAt(own, part)[0], all: all.flatMap((fields) => mapAt(fields, part)) };
}

/** The items of a list that are told by some of their fields. */
export interface KeyedList {
  /** The fields that tell an item. */
  keysOf(item: PlainMap): PlainMap;
  ownersOf(item: PlainMap): Owners;
}

function keyOf(part: string): PlainMap | undefined {
  const key = part.startsWith('k:') ? parseJson(part.slice(2)) : undefined;
  return isMap(key) ? key : undefined;
}

/** What is owned of items, by their keys. */
function itemsOf(fields: Fields): Map<string, { readonly key: PlainMap; readonly below: Fields }> {
  const items = Object.entries(fields).flatMap(([part, below]) => {
    const key = keyOf(part);
    return key === undefined || !isMap(below) ? [] : [[canonicalJson(key), { key, below }] as const];
  });
  return new Map(items);
}

/** Undefined for a list whose items are not told by fields, as far as its owners show. */
export function keyedList({ own, all }: Owners): KeyedList | undefined {
  const owned = new Map(all.map((fields) => [fields, itemsOf(fields)]));
  const keys = [...owned.values()].flatMap((items) => [...items.values()].map(({ key }) => key));
  const names = [...new Set(keys.flatMap((key) => Object.keys(key)))];
  if (names.length === 0) return undefined;
  const keysOf = (item: PlainMap): PlainMap =>
    Object.fromEntries(names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name]]));
  return {
    keysOf,
    ownersOf(item) {
      const key = canonicalJson(keysOf(item));
      const belowOf = (fields: Fields): Fields[] => {
        const below = owned.get(fields)?.get(key)?.below;
        return below === undefined ? [] : [below];
      };
      return { own: own && belowOf(own)[0], all: all.flatMap(belowOf) };
    },
  };
}

/** True for a list whose items are told by their values. */
export function isSet({ all }: Owners): boolean {
  return all.some((fields) => Object.keys(fields).some((part) => part.startsWith('v:')));
}

function partOfMap(map: PlainMap, owners: Owners, own: Fields): PlainMap | undefined {
  const parts = Object.entries(map).map(([key, value]) => [key, ownedPart(value, ownersOfField(owners, key))] as const);
  const kept = parts.filter(([, value]) => value !== undefined);
  return kept.length === 0 && !Object.hasOwn(own, '.') ? undefined : Object.fromEntries(kept);
}

function partOfKeyedList(list: readonly PlainMap[], items: KeyedList): unknown[] | undefined {
  const kept = list.flatMap((item) => {
    const owners = items.ownersOf(item);
    const part = ownedPart(item, owners);
    if (owners.own === undefined) return [];
    return [{ ...items.keysOf(item), ...(isMap(part) ? part : {}) }];
  });
  return kept.length === 0 ? undefined : kept;
}

function partOfList(list: readonly unknown[], owners: Owners, own: Fields): unknown {
  const items = keyedList(owners);
  if (items !== undefined && list.every(isMap)) return partOfKeyedList(list, items);
  if (!isSet(owners)) return list;
  const values = Object.keys(own).filter((part) => part.startsWith('v:'));
  const owned = new Set(values.map((part) => canonicalJson(parseJson(part.slice(2)))));
  const kept = list.filter((item) => owned.has(canonicalJson(item)));
  return kept.length === 0 ? undefined : kept;
}

/** The part of a live value that the manager owns: applied again, it changes nothing. Undefined for none. */
export function ownedPart(live: unknown, owners: Owners): unknown {
  const { own, all } = owners;
  if (own === undefined) return undefined;
  if (!hasParts(own)) {
    // It applied an empty one, which others have filled.
    if (all.some(hasParts)) return Array.isArray(live) ? [] : isMap(live) ? {} : live;
    return live;
  }
  if (isMap(live)) return partOfMap(live, owners, own);
  return Array.isArray(live) ? partOfList(live, owners, own) : live;
}
