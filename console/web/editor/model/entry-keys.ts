import { canonicalJson } from '#lib/json/canonical-json.js';
import { isMap } from '#lib/plain.js';

/** The fields that tell entries of a list apart: destinations, stages, and lists that Kubernetes keys by name. */
const IDENTIFYING = ['kind', 'namespace', 'name', 'destination', 'path', 'releaseName'];

/** Which one of a list it is, whatever else it says; undefined: nobody can tell. */
export function identityOf(entry: unknown): string | undefined {
  if (!isMap(entry)) return undefined;
  const said = Object.entries(entry).filter(
    ([key, value]) => IDENTIFYING.includes(key) && value !== undefined && value !== null,
  );
  return said.length === 0 ? undefined : canonicalJson(Object.fromEntries(said));
}

/** A list as it was drawn, and what names each of its entries while fields change, and others come and go. */
export interface Keyed {
  readonly entries: readonly unknown[];
  readonly keys: readonly number[];
}

export const NO_ENTRIES: Keyed = { entries: [], keys: [] };

/** Where each entry was; at the same place if it can be. */
function placesBefore(before: readonly unknown[], entries: readonly unknown[]): (number | undefined)[] {
  const left = new Map<string | undefined, number[]>();
  const old = before.map(identityOf);
  const now = entries.map(identityOf);
  old.forEach((identity, at) => {
    if (now[at] !== identity) left.set(identity, [...(left.get(identity) ?? []), at]);
  });
  return now.map((identity, at) => (at < old.length && old[at] === identity ? at : left.get(identity)?.shift()));
}

/**
 * The keys of a list after a change, however it was made. An entry that is moved keeps its key, and so does the one
 * whose name or destination is changed; of several that became others at once, nobody can tell which is which.
 */
export function rekeyed({ entries: before, keys }: Keyed, entries: readonly unknown[], fresh: () => number): Keyed {
  const places = placesBefore(before, entries);
  const gone = before.map((_, at) => at).filter((at) => !places.includes(at));
  const [changed, ...others] = gone;
  const isOneChanged = changed !== undefined && others.length === 0 && before.length === entries.length;
  const keyOf = (place: number | undefined): number => {
    const at = place ?? (isOneChanged ? changed : undefined);
    return (at === undefined ? undefined : keys[at]) ?? fresh();
  };
  return { entries, keys: places.map(keyOf) };
}

/** Of entries that say the same, only who removes one knows which. */
export function withoutEntry({ entries, keys }: Keyed, index: number): Keyed {
  return { entries: entries.toSpliced(index, 1), keys: keys.toSpliced(index, 1) };
}
