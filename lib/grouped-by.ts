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
