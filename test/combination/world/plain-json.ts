import { isMap } from '#lib/plain.js';

/** Returns the value as a server would receive it: a copy, without `undefined`. */
export function received<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T; // JSON in, JSON out
}

/** Returns the target after a merge patch (RFC 7386). */
export function mergePatched(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Record<string, unknown> = isMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, key);
    else result[key] = mergePatched(result[key], value);
  }
  return result;
}
