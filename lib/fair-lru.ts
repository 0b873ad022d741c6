import maxBy from 'lodash/maxBy.js';
import type { Lru } from './lru.js';

interface Part<V> {
  readonly entries: Map<string, V>;
  size: number;
}

/** A bounded map of several tenants: above its capacity, the one with most forgets what it used least recently. */
export interface FairLru<V> {
  /** The part of a tenant, whose keys are its own. */
  of(tenant: string): Lru<V>;
}

/** Values of `capacity` together, by `sizeOf`. One that is larger by itself is not kept. */
export function createFairLru<V>(capacity: number, sizeOf: (value: V) => number): FairLru<V> {
  const parts = new Map<string, Part<V>>();
  let total = 0;

  function drop(tenant: string, key: string): void {
    const part = parts.get(tenant);
    const value = part?.entries.get(key);
    if (part === undefined || value === undefined) return;
    part.entries.delete(key);
    part.size -= sizeOf(value);
    total -= sizeOf(value);
    if (part.entries.size === 0) parts.delete(tenant);
  }

  function shrink(): void {
    while (total > capacity) {
      const [tenant, part] = maxBy([...parts], ([, { size }]) => size) ?? [];
      const [oldest] = part?.entries.keys() ?? [];
      if (tenant === undefined || oldest === undefined) return;
      drop(tenant, oldest);
    }
  }

  function get(tenant: string, key: string): V | undefined {
    const entries = parts.get(tenant)?.entries;
    const value = entries?.get(key);
    if (entries === undefined || value === undefined) return undefined;
    entries.delete(key);
    entries.set(key, value);
    return value;
  }

  function set(tenant: string, key: string, value: V): void {
    drop(tenant, key);
    const size = sizeOf(value);
    if (size > capacity) return;
    const part = parts.get(tenant) ?? { entries: new Map<string, V>(), size: 0 };
    parts.set(tenant, part);
    part.entries.set(key, value);
    part.size += size;
    total += size;
    shrink();
  }

  return {
    of: (tenant) => ({
      get: (key) => get(tenant, key),
      set: (key, value) => set(tenant, key, value),
      delete: (key) => drop(tenant, key),
    }),
  };
}
