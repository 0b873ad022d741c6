import { RawNumber } from '#lib/json/lossless-json.js';
import { isMap } from '#lib/plain.js';

type JsonObject = Record<string, unknown>;

function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (isMap(a) && isMap(b)) return mergePatch(a, b) === undefined;
  if (a instanceof RawNumber && b instanceof RawNumber) return a.text === b.text;
  return a === b;
}

/**
 * The JSON merge patch (RFC 7386) that turns `from` into `to`; undefined when nothing differs. A field that is absent
 * or undefined in `to` is removed.
 */
export function mergePatch(from: object, to: object): JsonObject | undefined {
  const before = new Map<string, unknown>(Object.entries(from));
  const after = new Map<string, unknown>(Object.entries(to));
  const patch = new Map<string, unknown>();
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [old, next] = [before.get(key), after.get(key)];
    if (same(old, next)) continue;
    patch.set(key, isMap(old) && isMap(next) ? mergePatch(old, next) : (next ?? null));
  }
  return patch.size === 0 ? undefined : Object.fromEntries(patch);
}
