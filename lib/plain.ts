/**
 * The items by their keys, which come in the order of their first items. Unlike a plain object, it has no members of
 * its own: any text may be a key or be looked up, also `constructor`. `keyOf` gives undefined for what is left out.
 */
export function groupedBy<Key, T>(
  items: Iterable<T>,
  keyOf: (item: T) => Key | undefined,
): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The fields without those that are undefined: an optional field is absent, it never holds `undefined`. */
export function defined<T extends object>(fields: T): Defined<T> {
  // Only the undefined values go, which is what the type says of them.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** A map of values. */
export type PlainMap = Record<string, unknown>;

/** True for maps as YAML and JSON make them; a list, null or a RawNumber is none. */
export function isMap(value: unknown): value is PlainMap {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Of a class, and of lists, the prototype has one itself.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The value that a map has itself by a name that users choose: all objects inherit some, such as `constructor`. */
export function ownField(map: Readonly<PlainMap>, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** The fields that a map has itself, of those that are named. No name is read as a path, as lodash's `pick` does. */
export function ownFields(map: Readonly<PlainMap>, names: readonly string[]): PlainMap {
  const found = names.filter((name) => Object.hasOwn(map, name));
  return Object.fromEntries(found.map((name) => [name, map[name]]));
}

/** A deep copy in which maps and lists are new and everything else is shared. */
export function copyPlain<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => copyPlain(item)) as T; // same shape by construction
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyPlain(item)])) as T; // same shape
}

/** Called for each place that a merge sets to a value of the upper map, with its keys from the top. */
export type OnSet = (path: readonly string[]) => void;

/**
 * Maps merge key by key, everything else of `over` replaces, null included; what is undefined there takes nothing away.
 * Neither is changed, and untouched branches are shared with them.
 */
export function mergeMaps(
  under: Readonly<PlainMap>,
  over: Readonly<PlainMap>,
  onSet?: OnSet,
  path: readonly string[] = [],
): PlainMap {
  // A Map has no key that means something to JavaScript, as `__proto__` does.
  const merged = new Map(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const below = merged.get(key);
    const place = onSet === undefined ? path : [...path, key];
    if (isMap(below) && isMap(value)) {
      merged.set(key, mergeMaps(below, value, onSet, place));
      continue;
    }
    merged.set(key, value);
    onSet?.(place);
  }
  return Object.fromEntries(merged);
}
