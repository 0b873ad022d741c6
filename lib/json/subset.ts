import { haveSameText } from './held-map.js';
import { RawNumber } from './lossless-json.js';
import { isMap, ownField } from '../plain.js';

function sameScalar(live: unknown, desired: unknown): boolean {
  if (live instanceof RawNumber || desired instanceof RawNumber) return String(live) === String(desired);
  return live === desired;
}

function includesList(live: unknown, desired: readonly unknown[]): boolean {
  if (live === undefined || live === null) return desired.length === 0;
  if (!Array.isArray(live) || live.length !== desired.length) return false;
  return desired.every((item, index) => includes(live[index], item));
}

/**
 * True when every leaf of `desired` equals the one in `live`. Fields that only `live` has (defaults, other managers) do
 * not count; lists must have the same length, since a shorter list is another list. An empty object or list in
 * `desired` is satisfied by an absent field: the server drops some of them. A null leaf is satisfied by an absent one,
 * likewise.
 */
export function includes(live: unknown, desired: unknown): boolean {
  if (Array.isArray(desired)) return includesList(live, desired);
  if (isMap(desired)) {
    if (live !== undefined && !isMap(live)) return false;
    if (live === desired || haveSameText(live, desired)) return true;
    const of = (key: string): unknown => (live === undefined ? undefined : ownField(live, key));
    return Object.entries(desired).every(([key, value]) => value === undefined || includes(of(key), value));
  }
  return sameScalar(live ?? null, desired ?? null);
}
