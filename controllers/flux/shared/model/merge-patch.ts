import { RawNumber } from '#controllers/runtime/pure/lossless-json.js';
import { isMap } from '#controllers/runtime/pure/plain.js';

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
  const before = { ...from } as JsonObject; // any object can be read by its keys
  const after = { ...to } as JsonObject;
  const patch: JsonObject = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, next] = [before[key], after[key]];
    if (same(old, next)) continue;
    if (isMap(old) && isMap(next)) patch[key] = mergePatch(old, next);
    else patch[key] = next ?? null;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
