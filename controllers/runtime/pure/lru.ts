/** A bounded map that forgets what was not used for longest. */
export interface Lru<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

/** `capacity` entries at most. */
export function createLru<V>(capacity: number): Lru<V> {
  const entries = new Map<string, V>();
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      const oldest = entries.keys().next();
      if (entries.size > capacity && oldest.done !== true) entries.delete(oldest.value);
    },
  };
}
