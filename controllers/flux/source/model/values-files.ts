import { isMap, type PlainMap } from '../../../runtime/pure/plain.js';

/** Maps merge key by key, everything else of `over` replaces. Neither is changed. */
export function mergeValues(under: Readonly<PlainMap>, over: Readonly<PlainMap>): PlainMap {
  const merged: PlainMap = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = Object.hasOwn(merged, key) ? merged[key] : undefined;
    // Defined, not assigned: `__proto__` is a key like any other.
    Object.defineProperty(merged, key, {
      value: isMap(below) && isMap(value) ? mergeValues(below, value) : value,
      ...{ enumerable: true, configurable: true, writable: true },
    });
  }
  return merged;
}

/** A path of the spec as parts below a root: `..` stops at the root, as in Flux. */
export function pathWithin(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}
