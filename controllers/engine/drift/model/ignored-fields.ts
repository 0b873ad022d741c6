import pick from 'lodash/pick.js';
import type { ManagedFieldsEntry, Unstructured } from '#api/meta.js';
import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import { isMap, type PlainMap } from '#controllers/runtime/pure/plain.js';
import { indexOfStep, type IgnoredPaths } from './ignored-paths.js';
import {
  isSet,
  keyedList,
  ownedPart,
  ownersOf,
  ownersOfField,
  WHOLE,
  type KeyedList,
  type Owners,
} from './owned-part.js';

/** What of the metadata is applied; the server writes the rest. */
const METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** Own fields only: users write the paths, and what all objects inherit is shared by the whole process. */
function fieldOf(value: unknown, key: string): unknown {
  return isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

interface Lists {
  readonly wanted: readonly unknown[];
  readonly live: readonly unknown[];
}

/** A place in an object: what is wanted there, what is live, and whose it is. */
interface Place {
  readonly wanted: unknown;
  readonly live: unknown;
  readonly owners: Owners;
}

/**
 * The wanted item that is a live one; -1 for none. It may leave a field that tells it to the server's default: of an
 * item that the manager owns.
 */
function wantedItems(wanted: readonly unknown[], items: KeyedList): (live: PlainMap) => number {
  const indexes = new Map<string, number>();
  const partial = new Map<string, readonly string[]>();
  for (const [index, item] of wanted.entries()) {
    if (!isMap(item)) continue;
    const keys = items.keysOf(item);
    indexes.set(canonicalJson(keys), index);
    partial.set(Object.keys(keys).join(), Object.keys(keys));
  }
  return (live) => {
    const keys = items.keysOf(live);
    const exact = indexes.get(canonicalJson(keys));
    if (exact !== undefined) return exact;
    if (items.ownersOf(live).own === undefined) return -1;
    const found = [...partial.values()].map((names) => indexes.get(canonicalJson(pick(keys, names))));
    return found.find((index) => index !== undefined) ?? -1;
  };
}

class Settlement {
  readonly #setsMissing: boolean;
  /** A live value is applied. */
  copiesLive = false;
  /** A field is wanted that is not live. */
  isMissing = false;

  constructor(setsMissing: boolean) {
    this.#setsMissing = setsMissing;
  }

  /** What is applied at a place; undefined for nothing. */
  at(paths: IgnoredPaths, place: Place): unknown {
    const { wanted, live } = place;
    if (paths.isIgnored) return this.#ignored(place);
    if (isList(wanted) && isList(live)) return this.#list(paths, place.owners, { wanted, live });
    return isMap(wanted) ? this.#map(paths, place, wanted) : wanted;
  }

  #ignored({ wanted, live, owners }: Place): unknown {
    if (live === undefined) {
      if (wanted !== undefined) this.isMissing = true;
      return this.#setsMissing ? wanted : undefined;
    }
    const part = ownedPart(live, owners);
    if (part !== undefined) this.copiesLive = true;
    return part;
  }

  #map({ below }: IgnoredPaths, { live, owners }: Place, wanted: PlainMap): PlainMap {
    const fields = new Map(Object.entries(wanted));
    for (const [step, paths] of below) {
      const place = { wanted: fields.get(step), live: fieldOf(live, step), owners: ownersOfField(owners, step) };
      const value = this.at(paths, place);
      if (value === undefined) fields.delete(step);
      else fields.set(step, value);
    }
    return Object.fromEntries(fields);
  }

  #list(paths: IgnoredPaths, owners: Owners, lists: Lists): readonly unknown[] {
    const items = keyedList(owners);
    if (items !== undefined) return this.#keyedList(paths, items, lists);
    // The items of a set have no place.
    return isSet(owners) ? lists.wanted : this.#wholeList(paths, lists);
  }

  #keyedList({ below }: IgnoredPaths, items: KeyedList, { wanted, live }: Lists): unknown[] {
    const indexOf = wantedItems(wanted, items);
    const result = [...wanted];
    for (const [step, paths] of below) {
      const item = live[indexOfStep(step) ?? -1];
      if (!isMap(item)) continue;
      const index = indexOf(item);
      const value = this.at(paths, { wanted: wanted[index], live: item, owners: items.ownersOf(item) });
      const told = isMap(value) ? { ...items.keysOf(item), ...value } : value;
      if (index >= 0) result[index] = told;
      else result.push(told);
    }
    return result.filter((item) => item !== undefined);
  }

  /** A list that is applied as a whole: its items are told by their places. */
  #wholeList({ below }: IgnoredPaths, { wanted, live }: Lists): unknown[] {
    const result = [...wanted];
    for (const [step, paths] of below) {
      const index = indexOfStep(step) ?? -1;
      const place = { wanted: wanted[index], live: live[index], owners: WHOLE };
      if (place.wanted !== undefined && place.live !== undefined) result[index] = this.at(paths, place);
    }
    return result;
  }
}

/** What may differ, and who applies the object: its field manager, and who owns what of the live one by then. */
export interface Ignoring {
  readonly paths: IgnoredPaths;
  readonly manager: string;
  readonly managedFields: readonly ManagedFieldsEntry[];
}

/** An object as it is applied over a live one. */
export interface SettledObject {
  readonly object: Unstructured;
  /** It has live values, which must not have changed when it is written. */
  readonly copiesLive: boolean;
}

/** The same twice: with ignored fields that are wanted and not live, as they are written with others, and without. */
export interface Settled extends SettledObject {
  /** Undefined where there are none. */
  readonly withoutMissing?: Unstructured;
}

function settle(
  desired: Unstructured,
  live: Unstructured,
  ignoring: Ignoring,
  setsMissing: boolean,
): SettledObject & { readonly isMissing: boolean } {
  const { paths, manager, managedFields } = ignoring;
  const { apiVersion, kind, metadata } = desired;
  const settlement = new Settlement(setsMissing);
  const place = {
    wanted: desired,
    live: { ...live, metadata: pick(live.metadata, METADATA) },
    owners: ownersOf(managedFields, { manager, apiVersion }),
  };
  const settled = settlement.at(paths, place) as Unstructured; // a map, as `desired` is
  const named = { ...settled.metadata, ...pick(metadata, 'name', 'namespace') };
  const object = { ...settled, apiVersion, kind, metadata: named };
  return { object, copiesLive: settlement.copiesLive, isMissing: settlement.isMissing };
}

/**
 * `desired` as it is applied, so that ignored fields of the live object stay as they are: what the manager owns of them
 * it applies as it is live, and what it does not own it leaves out. See decision 36.
 */
export function withIgnored(desired: Unstructured, live: Unstructured, ignoring: Ignoring): Settled {
  const { isMissing, ...settled } = settle(desired, live, ignoring, true);
  return isMissing ? { ...settled, withoutMissing: settle(desired, live, ignoring, false).object } : settled;
}
