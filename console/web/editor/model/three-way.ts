import { canonicalJson } from '#lib/json/lossless-json.js';
import { isMap } from '#lib/plain.js';
import { valueAt, type Edit, type Path } from '../../model/yaml-edit.js';

/** The fields that tell entries of a list apart: destinations, stages, and lists that Kubernetes keys by name. */
const IDENTIFYING = ['kind', 'namespace', 'name', 'destination', 'path', 'releaseName'];

/** Which one of a list it is, whatever else it says; undefined: nobody can tell. */
export function identityOf(entry: unknown): string | undefined {
  if (!isMap(entry)) return undefined;
  const said = Object.entries(entry).filter(
    ([key, value]) => IDENTIFYING.includes(key) && value !== undefined && value !== null,
  );
  return said.length === 0 ? undefined : canonicalJson(Object.fromEntries(said));
}

/** A list as it was drawn, and what names each of its entries while fields change, and others come and go. */
export interface Keyed {
  readonly entries: readonly unknown[];
  readonly keys: readonly number[];
}

export const NO_ENTRIES: Keyed = { entries: [], keys: [] };

/** Where each entry was; at the same place if it can be. */
function placesBefore(before: readonly unknown[], entries: readonly unknown[]): (number | undefined)[] {
  const left = new Map<string | undefined, number[]>();
  const old = before.map(identityOf);
  const now = entries.map(identityOf);
  old.forEach((identity, at) => {
    if (now[at] !== identity) left.set(identity, [...(left.get(identity) ?? []), at]);
  });
  return now.map((identity, at) => (at < old.length && old[at] === identity ? at : left.get(identity)?.shift()));
}

/**
 * The keys of a list after a change, however it was made. An entry that is moved keeps its key, and so does the one
 * whose name or destination is changed; of several that became others at once, nobody can tell which is which.
 */
export function rekeyed({ entries: before, keys }: Keyed, entries: readonly unknown[], fresh: () => number): Keyed {
  const places = placesBefore(before, entries);
  const gone = before.map((_, at) => at).filter((at) => !places.includes(at));
  const [changed, ...others] = gone;
  const isOneChanged = changed !== undefined && others.length === 0 && before.length === entries.length;
  const keyOf = (place: number | undefined): number => {
    const at = place ?? (isOneChanged ? changed : undefined);
    return (at === undefined ? undefined : keys[at]) ?? fresh();
  };
  return { entries, keys: places.map(keyOf) };
}

/** Only the caller knows which of several equal entries to remove. */
export function withoutEntry({ entries, keys }: Keyed, index: number): Keyed {
  return { entries: entries.toSpliced(index, 1), keys: keys.toSpliced(index, 1) };
}

export interface Merged {
  readonly value: unknown;
  /** Paths that both changed, and differently: there, the value is ours. */
  readonly both: readonly Path[];
}

interface Three {
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** True of two values that say the same, and of two that are missing. */
export function areEqual(left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return left === right;
  return canonicalJson(left) === canonicalJson(right);
}

/** Items have no keys: what stands at an index may be another one, unless each says that it is the same, and only it. */
function areSameItems([first = [], ...others]: readonly (readonly unknown[])[]): boolean {
  const known = first.map(identityOf);
  if (known.includes(undefined) || new Set(known).size < known.length) return false;
  return others.every(
    (list) => list.length === known.length && list.every((item, at) => identityOf(item) === known[at]),
  );
}

function keysOf(values: readonly unknown[]): (string | number)[] | undefined {
  if (values.every((value) => isMap(value))) return [...new Set(values.flatMap((value) => Object.keys(value)))];
  if (!values.every((value) => Array.isArray(value)) || !areSameItems(values)) return undefined;
  return Array.from(values[0] ?? [], (_, index) => index);
}

function assembled(like: unknown, entries: readonly (readonly [string | number, unknown])[]): unknown {
  return Array.isArray(like) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

function merge({ base, mine, theirs }: Three, path: Path): Merged {
  if (areEqual(mine, base) || areEqual(mine, theirs)) return { value: theirs, both: [] };
  if (areEqual(theirs, base)) return { value: mine, both: [] };
  const keys = keysOf([base, mine, theirs]);
  if (keys === undefined) return { value: mine, both: [path] };
  const merged = keys.map((key) => {
    const at = (value: unknown): unknown => valueAt(value, [key]);
    return [key, merge({ base: at(base), mine: at(mine), theirs: at(theirs) }, [...path, key])] as const;
  });
  const entries = merged.map(([key, { value }]) => [key, value] as const).filter(([, value]) => value !== undefined);
  return { value: assembled(mine, entries), both: merged.flatMap(([, { both }]) => both) };
}

/** Merges our changes with somebody else's; lists with other items, or in another order, are one value. */
export function mergeThree(three: Three): Merged {
  return merge(three, []);
}

/** The edits that turn one value into another. */
export function editsBetween(from: unknown, to: unknown, path: Path = []): Edit[] {
  if (areEqual(from, to)) return [];
  const keys = keysOf([from, to]);
  if (keys === undefined) return [{ path, value: to }];
  return keys.flatMap((key) => editsBetween(valueAt(from, [key]), valueAt(to, [key]), [...path, key]));
}

/** As the API server writes it: `spec.list[0].name`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}
