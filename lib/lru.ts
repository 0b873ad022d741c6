/** A bounded map that forgets what was not used for longest. */
export interface Lru<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
}

/** Values of `capacity` together, by `sizeOf`; default: that many entries. One that is larger by itself is not kept. */
export function createLru<V>(capacity: number, sizeOf: (value: V) => number = () => 1): Lru<V> {
  const entries = new Map<string, V>();
  let size = 0;
  const drop = (key: string): void => {
    const value = entries.get(key);
    if (value === undefined) return;
    size -= sizeOf(value);
    entries.delete(key);
  };
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    delete: drop,
    set(key, value) {
      drop(key);
      // It would push out all the others, and then itself.
      if (sizeOf(value) > capacity) return;
      entries.set(key, value);
      size += sizeOf(value);
      for (const oldest of entries.keys()) {
        if (size <= capacity) break;
        drop(oldest);
      }
    },
  };
}
