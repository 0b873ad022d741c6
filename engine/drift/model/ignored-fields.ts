import isEmpty from 'lodash/isEmpty.js';
import pick from 'lodash/pick.js';
import type { ManagedFieldsEntry, Unstructured } from '#api/meta.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { copyPlain, isMap, ownField, type PlainMap } from '#lib/plain.js';
import { indexOfStep, pointerTo, type IgnoredPath } from './ignored-paths.js';
import { OwnedItems, type Fields } from './owned-items.js';

/** What of the metadata is applied; the server writes the rest. */
const METADATA = ['name', 'namespace', 'labels', 'annotations', 'finalizers', 'ownerReferences'];

/** Own fields only: users write the paths, and what all objects inherit is shared by the whole process. */
function valueAt(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value[indexOfStep(step) ?? -1] as unknown; // of unknown items
  return isMap(value) ? ownField(value, step) : undefined;
}

/** Takes places out of an object; the items of its lists keep theirs until all are known. */
class Removal {
  readonly #indexes = new Map<unknown[], Set<number>>();

  add(parent: unknown, step: string): void {
    if (isMap(parent)) Reflect.deleteProperty(parent, step);
    if (!Array.isArray(parent)) return;
    const indexes = this.#indexes.get(parent) ?? new Set();
    this.#indexes.set(parent, indexes.add(indexOfStep(step) ?? -1));
  }

  finish(): void {
    for (const [list, indexes] of this.#indexes) {
      const kept = list.filter((_item, index) => !indexes.has(index));
      list.length = 0;
      for (const item of kept) list.push(item);
    }
  }
}

function parentAt(object: unknown, path: IgnoredPath): unknown {
  return path.slice(0, -1).reduce(valueAt, object);
}

function isApplied({ operation, subresource = '' }: ManagedFieldsEntry): boolean {
  return operation === 'Apply' && subresource === '';
}

/** The part of `fieldsV1` for a step into a value. */
type PartOf = (fields: PlainMap, value: unknown, step: string) => string | undefined;

function partReader(): PartOf {
  const known = new Map<PlainMap, OwnedItems>();
  return (fields, value, step) => {
    if (!Array.isArray(value)) return `f:${step}`;
    const items = known.get(fields) ?? new OwnedItems(fields);
    known.set(fields, items);
    return items.of(valueAt(value, step))?.part;
  };
}

function removeOwned(owned: PlainMap, object: Unstructured, path: IgnoredPath, partOf: PartOf): void {
  let [fields, value]: [PlainMap, unknown] = [owned, object];
  for (const [index, step] of path.entries()) {
    const part = partOf(fields, value, step);
    const below = part === undefined || !Object.hasOwn(fields, part) ? undefined : fields[part];
    if (part === undefined || !isMap(below)) return;
    if (index === path.length - 1) Reflect.deleteProperty(fields, part);
    [fields, value] = [below, valueAt(value, step)];
  }
}

function entriesWithout(object: Unstructured, paths: readonly IgnoredPath[], manager: string): ManagedFieldsEntry[] {
  return (object.metadata.managedFields ?? []).map((entry) => {
    if (!isApplied(entry) || entry.manager !== manager || !isMap(entry.fieldsV1)) return entry;
    const fieldsV1 = copyPlain(entry.fieldsV1);
    const partOf = partReader();
    for (const path of paths) removeOwned(fieldsV1, object, path, partOf);
    return { ...entry, fieldsV1 };
  });
}

/** An object without what may differ, and without what a manager owns of that. */
export function withoutIgnored(object: Unstructured, paths: readonly IgnoredPath[], manager: string): Unstructured {
  if (paths.length === 0) return object;
  const copy = copyPlain(object);
  const removal = new Removal();
  for (const path of paths) removal.add(parentAt(copy, path), path.at(-1) ?? '');
  removal.finish();
  const managedFields = entriesWithout(object, paths, manager);
  return { ...copy, metadata: { ...copy.metadata, name: object.metadata.name, managedFields } };
}

/** An object, the live one, and what the server makes of both. */
interface Versions {
  readonly desired: Unstructured;
  readonly live: Unstructured;
  readonly dryRun: Unstructured;
}

function fieldsOf({ metadata }: Unstructured, isMeant: (manager: string | undefined) => boolean): Fields[] {
  const entries = (metadata.managedFields ?? []).filter((entry) => isApplied(entry) && isMeant(entry.manager));
  return entries.flatMap(({ fieldsV1 }) => (isMap(fieldsV1) ? [fieldsV1] : []));
}

function fieldAt(fields: Fields | undefined, step: string): Fields | undefined {
  const below = valueAt(fields, `f:${step}`);
  return isMap(below) ? below : undefined;
}

/** One place in all versions of an object. */
interface Place {
  readonly desired: unknown;
  readonly live: unknown;
  readonly dryRun: unknown;
  /** What the manager owns by the dry run; undefined: nothing. */
  readonly own: Fields | undefined;
  /** It is part of something that is applied as a whole. */
  readonly isWithin: boolean;
  /** What other appliers own. */
  readonly others: readonly Fields[];
  /** False where an index means another item in another version. */
  readonly isSame: boolean;
}

/** What is done at a place when the object is applied. */
type Treatment = 'absent' | 'as-desired' | 'as-live' | 'left-out' | 'unclear';

type Values = Pick<Place, 'desired' | 'live' | 'dryRun'>;

function fieldsBelow({ own, others }: Place, step: string): Partial<Place> {
  const below = others.map((fields) => fieldAt(fields, step));
  return { own: fieldAt(own, step), others: below.filter((fields) => fields !== undefined) };
}

class Places {
  readonly #items = new Map<Fields, OwnedItems>();
  readonly #root: Place;

  constructor({ desired, live, dryRun }: Versions, manager: string) {
    const [own] = fieldsOf(dryRun, (name) => name === manager).filter((fields) => !isEmpty(fields));
    const others = fieldsOf(live, (name) => name !== manager);
    const applied = { ...live, metadata: pick(live.metadata, METADATA) };
    const merged = { ...dryRun, metadata: pick(dryRun.metadata, METADATA) };
    this.#root = { desired, live: applied, dryRun: merged, own, others, isWithin: false, isSame: true };
  }

  at(path: IgnoredPath): Place {
    return path.reduce((place, step) => this.#below(place, step), this.#root);
  }

  #itemsOf(fields: Fields): OwnedItems {
    const known = this.#items.get(fields) ?? new OwnedItems(fields);
    this.#items.set(fields, known);
    return known;
  }

  #below(place: Place, step: string): Place {
    const values = {
      desired: valueAt(place.desired, step),
      live: valueAt(place.live, step),
      dryRun: valueAt(place.dryRun, step),
    };
    if (place.own !== undefined && this.#itemsOf(place.own).isWhole) {
      return { ...place, ...values, isWithin: true, others: [] };
    }
    const below = Array.isArray(place.desired) ? this.#itemAt(place, values) : fieldsBelow(place, step);
    return { ...place, ...values, ...below };
  }

  #itemAt({ own, others }: Place, { desired, live, dryRun }: Values): Partial<Place> {
    const items = own && this.#itemsOf(own);
    const owned = items?.of(live);
    if (owned === undefined || items?.of(dryRun) !== owned || !items.isOnly(owned, desired)) return { isSame: false };
    const below = others.map((fields) => this.#itemsOf(fields).of(live)?.below);
    return { own: owned.below, others: below.filter((fields) => fields !== undefined) };
  }
}

function isEqual(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}

function treatmentOf({ desired, live, dryRun, own, isWithin, others, isSame }: Place): Treatment {
  const isKept = live === undefined || isEqual(live, dryRun);
  // An item of the source that has another place in it.
  if (!isKept && !isSame && dryRun !== undefined) return 'unclear';
  if (desired === undefined) return 'absent';
  if (isKept) return 'as-desired';
  return own !== undefined && !isWithin && others.length > 0 ? 'left-out' : 'as-live';
}

/** An object as it is applied over a live one. */
export interface Settled {
  /** The very object that is desired, where nothing of it differs. */
  readonly object: Unstructured;
  /** It follows from the live object, which must not have changed when it is written. */
  readonly isOfLive: boolean;
  /** A path of which it cannot be told what it means in the object. */
  readonly unclear: string | undefined;
}

interface Treated {
  readonly path: IgnoredPath;
  readonly live: unknown;
  readonly treatment: Treatment;
}

function applyTreated(desired: Unstructured, treated: readonly Treated[]): Unstructured {
  const copy = copyPlain(desired);
  const removal = new Removal();
  for (const { path, live, treatment } of treated) {
    const [parent, step] = [parentAt(copy, path), path.at(-1) ?? ''];
    // Both are there.
    if (treatment === 'left-out') removal.add(parent, step);
    else if (Array.isArray(parent)) parent[indexOfStep(step) ?? -1] = live;
    else if (isMap(parent)) parent[step] = live;
  }
  removal.finish();
  const { apiVersion, kind, metadata } = desired;
  return { ...copy, apiVersion, kind, metadata: { ...copy.metadata, ...pick(metadata, 'name', 'namespace') } };
}

/**
 * `desired` as it is applied, so that ignored fields of the live object stay: what the dry run would change there is
 * left to the applier that owns it, and is otherwise applied as it is live. See decision 36.
 */
export function withIgnored(versions: Versions, paths: readonly IgnoredPath[], manager: string): Settled {
  const places = new Places(versions, manager);
  const treated = paths.map((path): Treated => {
    const place = places.at(path);
    return { path, live: place.live, treatment: treatmentOf(place) };
  });
  const changed = treated.filter(({ treatment }) => treatment === 'as-live' || treatment === 'left-out');
  const unclear = treated.find(({ treatment }) => treatment === 'unclear');
  return {
    object: changed.length === 0 ? versions.desired : applyTreated(versions.desired, changed),
    isOfLive: treated.some(({ treatment }) => treatment !== 'absent'),
    unclear: unclear && pointerTo(unclear.path),
  };
}
